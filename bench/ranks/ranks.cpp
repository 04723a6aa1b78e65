// Data sent for a force on several ranks, its error, and the load balance. All of it is counted, so that the ranks may
// be threads, in any number.
#include <algorithm>
#include <cmath>

#include "shared/measured_run.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/run/domains.hpp"

using namespace bench;
using trellis::Comm;

namespace {

constexpr std::array<const char*, 3> scheme_names = {"all to all", "all gather", "tree of domains"};

std::shared_ptr<Comm> borrowed(Comm& comm) {
    return {&comm, [](Comm*) {}};
}

// The traffic of each rank for a force, and the error of the force.
struct Sent {
    std::vector<trellis::Traffic> construction, reusing;
    trellis::ForceError error;
};

template <class Body>
std::vector<trellis::Traffic> traffic_of(Comm& comm, Body&& body) {
    const trellis::Traffic before = comm.traffic();
    body();
    const trellis::Traffic after = comm.traffic();
    return trellis::all_gather(comm, trellis::Traffic{after.messages - before.messages, after.bytes - before.bytes});
}

std::vector<double> accelerations(const trellis::ParticleSet& own) {
    std::vector<double> magnitudes;
    for (const Vec3<double>& a : own[trellis::fields::acceleration]) magnitudes.push_back(std::sqrt(dot(a, a)));
    return magnitudes;
}

Sent sent(Comm& comm, const trellis::ParticleSet& all, trellis::ForceSettings settings, std::size_t checks) {
    settings.lists = trellis::Lists::reuse;
    const auto own = share(all, comm.rank(), comm.size());
    trellis::Domains domains(borrowed(comm));
    trellis::Phases phases;
    domains.distribute(*own, phases);
    const std::shared_ptr<trellis::ForceByTree> force = trellis::gravity(softening, 1, settings);
    force->attach(*own, 0);
    const auto compute = [&](std::span<const double> previous, bool may_reuse) {
        std::ranges::fill((*own)[trellis::fields::acceleration], Vec3<double>{0, 0, 0});
        force->dispatch(*own, {previous, may_reuse, domains.ranks()}, phases);
        force->retrieve(*own, phases);
    };
    std::vector<double> previous;
    if (force->uses_previous_acceleration()) {
        compute({}, false);
        previous = accelerations(*own);
    }
    Sent result;
    result.construction = traffic_of(comm, [&] { compute(previous, false); });
    result.reusing = traffic_of(comm, [&] { compute(previous, true); });
    if (checks > 0) result.error = trellis::measure_force_error(comm, *own, {force}, 0, checks, 7);
    return result;
}

std::vector<std::string> row_of(const std::string& title, const Sent& sent) {
    std::vector<std::string> row = {title};
    for (const auto* step : {&sent.construction, &sent.reusing}) {
        double messages = 0, bytes = 0, most_messages = 0, most_bytes = 0;
        for (const trellis::Traffic& of_rank : *step) {
            messages += static_cast<double>(of_rank.messages);
            bytes += static_cast<double>(of_rank.bytes);
            most_messages = std::max(most_messages, static_cast<double>(of_rank.messages));
            most_bytes = std::max(most_bytes, static_cast<double>(of_rank.bytes));
        }
        const auto ranks = static_cast<double>(step->size());
        for (const double value : {bytes / ranks / 1e3, most_bytes / 1e3}) row.push_back(text("%.1f", value));
        for (const double value : {messages / ranks, most_messages}) row.push_back(text("%.0f", value));
    }
    row.push_back(text("%.2e", sent.error.rms));
    return row;
}

void print_sent(const Options& given) {
    print_header(
        "What ranks send for a force",
        "Kilobytes and messages that a rank sends, on average and at most: trees, and what ranks learn of each "
        "other; in a construction step, and in a reusing step. RMS force error.");
    const Table table({"model, ranks, N a rank, method, scheme", "construction kB", "at most", "messages", "at most",
                       "reusing kB", "at most", "messages", "at most", "error"});
    const auto each = given.integer("particles");
    for (const std::string& name : given.texts("model"))
        for (const int ranks : given.integers<int>("ranks")) {
            const auto all = model(name, each * static_cast<std::size_t>(ranks));
            for (const std::string& method : given.texts("method"))
                for (std::size_t scheme = 0; scheme < scheme_names.size(); ++scheme) {
                    trellis::ForceSettings settings = settings_of(method);
                    settings.let = static_cast<trellis::LetScheme>(scheme);
                    Sent found;
                    trellis::run_ranks(ranks, [&](Comm& comm) {
                        Sent of_all = sent(comm, *all, settings, given.integer("checks"));
                        if (comm.rank() == 0) found = std::move(of_all);
                    });
                    table.row(row_of(
                        text("%s, %d, %zu, %s, %s", name.c_str(), ranks, each, method.c_str(), scheme_names[scheme]),
                        found));
                }
        }
}

// The largest work of a rank over the mean: for the first forces, then for each step.
std::vector<double> imbalances(Comm& comm, const trellis::ParticleSet& all, double timestep, std::size_t steps) {
    trellis::Simulation sim(share(all, comm.rank(), comm.size()), timestep, borrowed(comm));
    sim.add_force(trellis::gravity(softening, 1));
    sim.compute_forces();
    std::vector<double> found;
    for (std::size_t k = 0; k <= steps; ++k) {
        if (k > 0) sim.step();
        double sum = 0, most = 0;
        for (const double cost : trellis::all_gather(comm, sim.work().cost)) sum += cost, most = std::max(most, cost);
        found.push_back(most * comm.size() / sum);
    }
    return found;
}

void print_balance(const Options& given) {
    std::printf("\n");
    print_header("How evenly ranks share the work",
                 "The costliest rank's work over the mean. The sphere collapses from rest, in steps of 1/64 (free fall "
                 "takes 1.11); the other models stay.");
    const auto steps = std::max<std::size_t>(10, given.integer("steps"));
    const Table table(
        {"model, ranks, N a rank", "at first", "1 step", "3 steps", "10 steps", "median later", "most later", "steps"});
    const auto each = given.integer("loaded");
    for (const std::string name : {"sphere", "plummer", "clusters"})
        for (const int ranks : given.integers<int>("balance")) {
            const auto all = model(name, each * static_cast<std::size_t>(ranks));
            const double timestep = name == "sphere" ? 1.0 / 64 : 1e-6;
            std::vector<double> found;
            trellis::run_ranks(ranks, [&](Comm& comm) {
                std::vector<double> of_all = imbalances(comm, *all, timestep, name == "sphere" ? steps : 20);
                if (comm.rank() == 0) found = std::move(of_all);
            });
            const Spread later = spread({found.begin() + 10, found.end()});
            std::vector<std::string> row = {text("%s, %d, %zu", name.c_str(), ranks, each)};
            for (const double value : {found[0], found[1], found[3], found[10], later.median, later.high})
                row.push_back(text("%.3f", value));
            row.push_back(text("%zu", found.size() - 1));
            table.row(row);
        }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"model", "cube,plummer", "initial conditions"},
                                         {"ranks", "2,8,64,512", "numbers of ranks, to count messages"},
                                         {"particles", "1000", "particles of each of them"},
                                         {"method", "tree,fmm", "tree: monopoles, theta 0.5; fmm: accuracy 1e-3"},
                                         {"checks", "500", "particles compared with direct summation"},
                                         {"balance", "8,64", "numbers of ranks, to measure the balance"},
                                         {"loaded", "2000", "particles of each of them"},
                                         {"steps", "96", "steps of the collapse, at least 10"}};
    return run(argc, argv, options, [](const Options& given) {
        print_sent(given);
        if (!given.texts("balance").empty()) print_balance(given);
    });
}
