// Errors of attempts to connect to other sites, for messages.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "trellis/base/error.hpp"

namespace trellis {

// All functions may be called by any thread.
class ConnectErrors {
  public:
    explicit ConnectErrors(std::size_t sites) : last_(sites) {}

    // An attempt to connect to a site has failed. permanent: every other attempt would fail as well.
    void note(std::size_t site, const std::string& why, bool permanent) {
        const std::scoped_lock lock(mutex_);
        last_[site] = why;
        if (permanent) permanent_ = why;
    }
    // A connection to this site was refused.
    void note_rejected(const std::string& peer, const std::string& why) {
        const std::scoped_lock lock(mutex_);
        rejected_peer_ = "a connection from " + peer + " was refused: " + why;
    }

    // The last error of a site, else the last connection that was refused here; empty if there was neither.
    std::string of(std::size_t site) const {
        const std::scoped_lock lock(mutex_);
        return last_[site].empty() ? rejected_peer_ : last_[site];
    }
    // Throws InputError if an error was permanent.
    void throw_permanent() const {
        const std::scoped_lock lock(mutex_);
        if (!permanent_.empty()) throw InputError(permanent_);
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::string> last_;  // by site
    std::string rejected_peer_, permanent_;
};

}  // namespace trellis
