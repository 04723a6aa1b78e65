// Steps of a site with an emulated processor: a device that takes the given seconds stands for the force of the site's
// own tree, and messages to the neighbours in the ring are padded to the given bytes. All else is a real run of few
// particles over real links. One process a site; each prints its measurements as JSON.
//
//     bench_emulated_steps --ring HOST:PORT,HOST:PORT --site 0 --seconds 20 --bytes 42e6
//
// bench/goals/site_runs.py runs it over emulated links.
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <thread>

#include "shared/models.hpp"
#include "shared/options.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/ranks/sites/site_comm.hpp"
#include "trellis/run/simulation.hpp"
#include "trellis/transport/links/open_links.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr double timestep = 1e-6;          // so short that particles hardly move and all steps are equal work
constexpr std::uint64_t first_steps = 16;  // steps in which space is divided: neither emulated nor measured
constexpr const char* kernel = "emulated_step";

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Stands for the force of the local tree: it is retrieved before gravity, whose essential trees are then on their way.
class EmulatedForce final : public trellis::Force {
  public:
    // gravity progresses meanwhile; seconds: time of the force in a step; bytes: padding to each neighbour.
    void begin(std::shared_ptr<trellis::ForceByTree> gravity, double seconds, std::size_t bytes) {
        gravity_ = std::move(gravity);
        trellis::register_kernel(trellis::DeviceKind::cpu, kernel, [](const trellis::KernelCall&) {});
        device_ = trellis::open_device("rehearsal:" + trellis::to_text(seconds));
        queue_ = device_->make_queue();
        bytes_ = bytes;
    }

    std::vector<std::string> reads() const override { return {}; }
    void attach(trellis::ParticleSet& /*particles*/, std::size_t /*number*/) override {}
    void dispatch(trellis::ParticleSet& /*particles*/, const trellis::ForceStep& step,
                  trellis::Phases& /*phases*/) override {
        ranks_ = step.ranks;
    }
    trellis::Work retrieve(trellis::ParticleSet& /*particles*/, trellis::Phases& /*phases*/) override {
        if (queue_ == nullptr) return {};
        std::unique_ptr<trellis::Exchange> padding;
        if (ranks_ != nullptr) padding = ranks_->comm->begin_exchange(to_neighbours(*ranks_->comm));
        std::atomic<bool> done = false;
        queue_->launch(kernel, {}, {});
        queue_->then([&] { done = true; });
        while (!done) {
            gravity_->progress();
            if (padding) padding->progress();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        queue_->wait();
        if (padding) padding->finish();
        return {};
    }
    bool may_fail_after_writing() const override { return false; }
    bool uses_previous_acceleration() const override { return false; }
    std::uint32_t reuse_steps() const override { return 1; }
    std::span<const trellis::FieldInfo> results() const override { return {}; }
    void reference(const trellis::ParticleSet& /*sources*/, const trellis::ParticleSet& /*targets*/,
                   std::uint32_t /*row*/, std::int64_t /*self*/, double /*time*/, double* /*values*/) const override {}

  private:
    std::vector<trellis::Message> to_neighbours(const trellis::Comm& comm) const {
        std::vector<trellis::Message> messages;
        for (const int rank : std::set{(comm.rank() + 1) % comm.size(), (comm.rank() + comm.size() - 1) % comm.size()})
            messages.push_back({rank, std::vector<std::byte>(bytes_)});
        return messages;
    }

    std::shared_ptr<trellis::ForceByTree> gravity_;
    std::shared_ptr<trellis::Device> device_;
    std::unique_ptr<trellis::Queue> queue_;  // null: before begin
    std::size_t bytes_ = 0;
    const trellis::Ranks* ranks_ = nullptr;
};

std::vector<std::shared_ptr<trellis::Link>> links_of(const bench::Options& options, const std::string& via) {
    trellis::LinkSettings settings;
    settings.ring = options.texts("ring");
    settings.site = options.integer("site");
    if (!via.empty()) settings.choices[options.integer("to")].via = via;
    settings.waiting = [](const std::string& sentence) { std::fprintf(stderr, "%s\n", sentence.c_str()); };
    return trellis::open_links(settings);
}

void run(const bench::Options& options) {
    const auto via = options.texts("via");
    const trellis::Sites sites{options.texts("ring"), options.integer("site")};
    const auto comm =
        trellis::SiteComm::join(trellis::serial_comm(), links_of(options, via.empty() ? "" : via.front()), sites);
    const auto all = bench::model("plummer", options.integer("particles"));
    trellis::Simulation sim(bench::share(*all, comm->rank(), comm->size()), timestep, comm);
    const auto emulated = std::make_shared<EmulatedForce>();
    sim.add_force(emulated);
    const std::shared_ptr<trellis::ForceByTree> gravity = trellis::gravity(bench::softening);
    sim.add_force(gravity);
    sim.run_steps(first_steps);
    emulated->begin(gravity, options.numbers("seconds").at(0), options.integer("bytes"));
    sim.run_steps(options.integer("skip"));
    comm->all_gather({});  // all begin together
    const trellis::WideTraffic before = comm->wide_traffic();
    const auto begin = Clock::now();
    const auto steps = options.integer("steps");
    sim.run_steps(steps);
    const auto count = static_cast<double>(steps);
    const double step = seconds_since(begin) / count;
    const trellis::WideTraffic& after = comm->wide_traffic();
    std::printf(
        "{\"step\": %.4f, \"trips\": %.3f, \"visible\": %.3f, \"bytes\": %.0f, \"waiting\": %.4f, \"hidden\": %.4f}\n",
        step, static_cast<double>(after.critical_path_hops - before.critical_path_hops) / count,
        static_cast<double>(after.visible - before.visible) / count,
        static_cast<double>(after.all().bytes - before.all().bytes) / count,
        (after.all().waiting - before.all().waiting) / count, (after.hidden - before.hidden) / count);
    comm->close();
}

}  // namespace

int main(int argc, char** argv) {
    return bench::run(argc, argv,
                      {{"ring", "", "HOST:PORT of each site"},
                       {"site", "0", "number of this site in the ring"},
                       {"particles", "3000", "particles of all sites"},
                       {"seconds", "2", "seconds of the emulated force in a step"},
                       {"bytes", "0", "padding to each neighbour in a step, in bytes"},
                       {"steps", "8", "measured steps: one of eight shares out particles"},
                       {"skip", "0", "steps before them, in which links find their rate"},
                       {"via", "", "HOST:PORT of a forwarder that leads to another site"},
                       {"to", "0", "the other site, earlier in the ring"}},
                      run);
}
