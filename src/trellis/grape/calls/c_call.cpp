#include "trellis/grape/calls/c_call.hpp"

#include <cstdio>
#include <mutex>

namespace trellis {

void report_failed_call(const std::string& call, const std::string& what) {
    static std::mutex mutex;
    static std::string last;
    const std::scoped_lock lock(mutex);
    const std::string sentence = call + ": " + what;
    if (sentence == last) return;
    last = sentence;
    std::fprintf(stderr, "trellis_grape: %s\n", sentence.c_str());
}

}  // namespace trellis
