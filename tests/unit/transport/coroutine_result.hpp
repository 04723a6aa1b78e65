// The result of a coroutine as a future. Unlike asio::use_future this starts no threads of Asio's system executor,
// which a test that forks later would wait for in its child processes.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

namespace trellis {

// Starts a coroutine on an executor.
template <class T>
std::future<T> result_of(const asio::any_io_executor& executor, asio::awaitable<T> coroutine) {
    const auto result = std::make_shared<std::promise<T>>();
    auto future = result->get_future();
    if constexpr (std::is_void_v<T>) {
        asio::co_spawn(executor, std::move(coroutine), [result](const std::exception_ptr& failure) {
            failure ? result->set_exception(failure) : result->set_value();
        });
    } else {
        asio::co_spawn(executor, std::move(coroutine), [result](const std::exception_ptr& failure, T value) {
            failure ? result->set_exception(failure) : result->set_value(std::move(value));
        });
    }
    return future;
}

}  // namespace trellis
