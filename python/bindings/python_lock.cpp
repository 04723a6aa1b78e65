#include "python_lock.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace nb = nanobind;

namespace {

std::atomic<bool> python_ends = false;
std::atomic<std::thread::id> ending_thread;
std::atomic<int> under_way = 0;  // threads that wait for the lock, or have taken it from C++

// Called before the lock is taken.
void begin_to_take() {
    ++under_way;
    if (!python_ends || std::this_thread::get_id() == ending_thread.load()) return;
    --under_way;
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

constexpr std::chrono::seconds patience{5};  // with a function of Python that does not return

// Called with the lock, which is released until no thread waits for it: from now on none begins to.
void end_of_python() {
    ending_thread = std::this_thread::get_id();
    python_ends = true;
    const auto until = std::chrono::steady_clock::now() + patience;
    while (under_way > 0 && std::chrono::steady_clock::now() < until) {
        PyThreadState* const state = PyEval_SaveThread();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        PyEval_RestoreThread(state);
    }
}

}  // namespace

LockReleased::~LockReleased() {
    begin_to_take();
    PyEval_RestoreThread(state_);
    --under_way;
}

LockTaken::LockTaken() {
    begin_to_take();
    state_ = PyGILState_Ensure();
}

LockTaken::~LockTaken() {
    PyGILState_Release(state_);
    --under_way;
}

void watch_end_of_python() { nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_of_python)); }
