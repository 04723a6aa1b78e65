// Python's lock, released while C++ computes, and taken for calls of Python's functions. At its end Python unwinds each
// thread that waits for the lock, daemon threads. An unwound destructor or catch clause of C++ would abort the process,
// so such a thread waits here until the process has ended.
#pragma once

#include <nanobind/nanobind.h>

// Released for its lifetime.
class LockReleased {
  public:
    LockReleased() : state_(PyEval_SaveThread()) {}
    ~LockReleased();
    LockReleased(const LockReleased&) = delete;
    LockReleased& operator=(const LockReleased&) = delete;

  private:
    PyThreadState* state_;
};

// Taken for its lifetime, by any thread. The end of Python waits for it.
class LockTaken {
  public:
    LockTaken();
    ~LockTaken();
    LockTaken(const LockTaken&) = delete;
    LockTaken& operator=(const LockTaken&) = delete;

  private:
    PyGILState_STATE state_;
};

// Has Python call this module's function at its end, before it unwinds threads.
void watch_end_of_python();
