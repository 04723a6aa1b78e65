// Errors of the C calls: a number, and a sentence that is kept for the thread.
#pragma once

#include <cstdint>
#include <exception>
#include <iterator>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/c/trellis.h"

namespace trellis {

// The sentence of the calling thread's last error.
inline std::string& last_sentence() {
    thread_local std::string sentence;
    return sentence;
}

// Calls the body. Returns 0, or the number of the error that it throws, whose sentence is then the last.
template <class Body>
int carry_out_c(Body&& body) {
    try {
        body();
        return 0;
    } catch (const InputError& error) {
        last_sentence() = error.what();
        return TRELLIS_INPUT_ERROR;
    } catch (const std::bad_alloc&) {
        last_sentence() = "there is not enough memory for this call";
        return TRELLIS_RUN_ERROR;
    } catch (const std::exception& error) {
        last_sentence() = error.what();
        return TRELLIS_RUN_ERROR;
    }
}

// The object that an argument points to. Throws InputError for a null pointer.
template <class T>
T& given(T* argument, const char* name) {
    if (argument == nullptr) throw InputError(std::string(name) + " is a null pointer");
    return *argument;
}

// Calls make() for a new handle. Throws InputError before it does so for a null pointer.
template <class Handle, class Make>
void put_new(Handle** handle, const char* name, Make&& make) {
    given(handle, name) = nullptr;
    *handle = new Handle{make()};
}

// Throws InputError unless the number is at least `least`.
inline void check_at_least(const char* name, std::int64_t number, std::int64_t least) {
    if (number < least)
        throw InputError(std::string(name) + " is " + std::to_string(number) + ": allowed is " + std::to_string(least) +
                         " or more");
}

// The words of an argument, which have spaces between them.
inline std::vector<std::string> words_of(const char* argument, const char* name) {
    std::istringstream letters(&given(argument, name));
    return {std::istream_iterator<std::string>(letters), {}};
}

}  // namespace trellis
