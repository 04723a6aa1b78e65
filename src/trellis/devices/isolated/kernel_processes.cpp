#include "trellis/devices/isolated/kernel_processes.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

#include "trellis/devices/isolated/isolated_process.hpp"
#include "trellis/devices/isolated/kernel_worker.hpp"

namespace trellis {

namespace {

// The process has no part in the connections and files of the server, and ends with it, not by a signal to all
// processes of a terminal.
void leave_files_and_signals(int kept) {
    const int nothing = open("/dev/null", O_RDWR);
    for (int number = 0; number < 3; ++number) dup2(nothing, number);
    const long most = sysconf(_SC_OPEN_MAX);
    for (int number = 3; number < (most > 0 && most < 4096 ? most : 4096); ++number)
        if (number != kept) close(number);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
    struct sigaction no_zombies{};
    no_zombies.sa_handler = SIG_IGN;
    no_zombies.sa_flags = SA_NOCLDWAIT;
    sigaction(SIGCHLD, &no_zombies, nullptr);
}

[[noreturn]] void start_workers(OwnDescriptor control) {
    leave_files_and_signals(control.number());
    StartWorker start;
    std::array<OwnDescriptor, 2> passed;
    while (receive_all(control, writable_object_bytes(start), passed)) {
        if (fork() == 0) {
            control.close();
            work(start, passed[0], passed[1]);
        }
        for (OwnDescriptor& each : passed) each.close();
    }
    _exit(0);
}

}  // namespace

KernelProcesses::KernelProcesses(const std::function<void()>& begun) {
    auto ends = socket_pair();
    process_ = fork();
    if (process_ < 0) throw std::runtime_error(std::string("cannot fork a process: ") + std::strerror(errno));
    if (process_ == 0) {
        if (begun) begun();
        start_workers(std::move(ends[1]));
    }
    control_ = std::move(ends[0]);
}

KernelProcesses::~KernelProcesses() {
    control_.close();
    waitpid(process_, nullptr, 0);
}

std::shared_ptr<KernelProcess> KernelProcesses::make(std::size_t memory, int threads) {
    return std::make_shared<IsolatedProcess>(shared_from_this(), memory, threads);
}

void KernelProcesses::start(std::size_t memory_bytes, int threads, const OwnDescriptor& memory,
                            const OwnDescriptor& control) {
    const StartWorker start{memory_bytes, threads};
    const std::array<int, 2> passed{memory.number(), control.number()};
    const std::scoped_lock lock(mutex_);
    if (!send_all(control_, object_bytes(start), passed)) throw std::runtime_error("no process can be started");
}

}  // namespace trellis
