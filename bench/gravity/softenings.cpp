// Accuracy and cost of gravity with two softenings, beside one for all.
#include "shared/measured_run.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"

using namespace bench;

namespace {

// "one": all have the large softening. "random": half of the particles have the small one. "ball": those within the
// radius that encloses half of the mass.
std::shared_ptr<trellis::ParticleSet> softened(const std::string& model_name, std::size_t size,
                                               const std::string& mixed, double small, double large) {
    if (mixed != "one" && mixed != "random" && mixed != "ball")
        throw trellis::InputError("mixed is '" + mixed + "': allowed are one, random and ball");
    auto particles = model(model_name, size);
    Random random;
    const double half = model_name == "plummer" ? plummer_radius(0.5) : sphere_radius(0.5);
    const auto lengths = particles->add(trellis::fields::softening);
    for (std::size_t row = 0; row < size; ++row) {
        const Vec3<double> at = (*particles)[trellis::fields::position][row];
        const bool is_small =
            (mixed == "random" && random.uniform(0, 1) < 0.5) || (mixed == "ball" && dot(at, at) < half * half);
        lengths[row] = is_small ? small : large;
    }
    return particles;
}

trellis::ForceSettings settings(const Options& given, double accuracy) {
    const std::string method = given.texts("method").at(0);
    if (method != "fmm" && method != "tree")
        throw trellis::InputError("the method is '" + method + "': allowed are fmm and tree");
    return {.accuracy = accuracy,
            .method = method == "tree" ? trellis::Method::tree : trellis::Method::fmm,
            .order = given.integers<int>("order").at(0)};
}

void measure(const Options& given, const Table& table, const std::string& name, const std::string& mixed,
             double large) {
    const std::size_t size = given.integer("particles");
    const auto each = [&](std::uint64_t count) {
        return text("%.1f", static_cast<double>(count) / static_cast<double>(size));
    };
    for (const double accuracy : given.numbers("accuracy")) {
        const auto particles = softened(name, size, mixed, large / given.numbers("ratio").at(0), large);
        const Measured m =
            measured_run(particles, trellis::gravity(trellis::SofteningOfEach{}, 1, settings(given, accuracy)),
                         static_cast<int>(given.integer("threads")), given.integer("steps"), given.integer("check"));
        table.row({name, text("%g", large), mixed, text("%g", accuracy), text("%.3f", m.step.median),
                   text("%.2f", m.error.rms / accuracy), each(m.work.pairs), each(m.work.expansions),
                   each(m.work.multipoles)});
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"model", "plummer", "initial conditions: sphere or plummer"},
                                         {"particles", "131072", "number of particles"},
                                         {"mixed", "one,random,ball", "distribution of the two softenings"},
                                         {"large", "0.01,0.03,0.1,0.3", "the large softenings"},
                                         {"ratio", "10", "large over small softening"},
                                         {"method", "fmm", "the method: fmm or tree"},
                                         {"order", "0", "the order; 0: that of the method"},
                                         {"accuracy", "1e-3", "requested accuracies"},
                                         {"threads", "1", "number of threads"},
                                         {"steps", "3", "steps timed"},
                                         {"check", "1000", "particles compared with direct summation"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Softenings that differ",
                     "Seconds of a step, with tree and lists made at every step; RMS errors relative to direct "
                     "summation in double precision, over the accuracy asked for.");
        const Table table({"model", "large", "mixed", "accuracy", "median s", "RMS / accuracy", "pairs/N",
                           "expansions/N", "multipoles/N"});
        for (const std::string& name : given.texts("model"))
            for (const double large : given.numbers("large"))
                for (const std::string& mixed : given.texts("mixed")) measure(given, table, name, mixed, large);
    });
}
