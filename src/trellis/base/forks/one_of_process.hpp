// An object with a thread, of which each process has one.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>

namespace trellis {

// `Object` has a default constructor and `void end()`, which ends its thread when the process exits. The object is
// never released, since others that use it may be destroyed last. A fork has none of its parent's threads: it gets an
// object of its own, and leaves its parent's as it is.
template <class Object>
class OneOfProcess {
  public:
    // The object of this process, made by the first call.
    static Object& get() {
        const std::scoped_lock lock(mutex_);
        if (object_ == nullptr || process_ != getpid()) {
            const bool is_first = object_ == nullptr;
            object_ = new Object;
            process_ = getpid();
            if (is_first) std::atexit(end);  // a fork inherits the call
        }
        return *object_;
    }

  private:
    static void end() {
        if (process_ == getpid()) object_->end();
    }

    inline static std::mutex mutex_;
    inline static Object* object_ = nullptr;
    inline static pid_t process_ = 0;
};

}  // namespace trellis
