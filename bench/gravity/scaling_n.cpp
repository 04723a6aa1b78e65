// Cost against the number of particles: time over N log N, and memory.
#include <sys/resource.h>

#include "shared/measured_run.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"

using namespace bench;

namespace {

// Peak memory of the process in bytes. Sizes are measured from small to large, so it is that of the last one.
double peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"model", "sphere,plummer", "initial conditions"},
                                         {"log2", "14,15,16,17,18,19,20,21,22,23", "logarithms of N, rising"},
                                         {"accuracy", "1e-3", "requested accuracy"},
                                         {"threads", "1,2", "numbers of threads"},
                                         {"steps", "5", "steps timed"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Cost against N",
                     "The default method. Bytes are those of the whole process, and of the lists alone.");
        const Table table(
            {"model, N", "threads", "median s", "lowest s", "highest s", "ns/(N log2 N)", "bytes/N", "list bytes/N"});
        for (const auto log2 : given.integers<std::size_t>("log2"))
            for (const std::string& model : given.texts("model"))
                for (const int threads : given.integers<int>("threads")) {
                    const std::size_t size = std::size_t{1} << log2;
                    const auto n = static_cast<double>(size);
                    const Measured m = measured_run(model, size, threads, {.accuracy = given.numbers("accuracy").at(0)},
                                                    given.integer("steps"), 0);
                    table.row({text("%s, 2^%zu", model.c_str(), log2), text("%d", threads), text("%.4f", m.step.median),
                               text("%.4f", m.step.low), text("%.4f", m.step.high),
                               text("%.2f", 1e9 * m.step.median / (n * static_cast<double>(log2))),
                               text("%.0f", peak_memory() / n), text("%.0f", static_cast<double>(m.list_bytes) / n)});
                }
    });
}
