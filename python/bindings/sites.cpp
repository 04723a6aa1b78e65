#include "sites.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/world.hpp"
#include "trellis/ranks/sites/site_comm.hpp"
#include "trellis/transport/links/open_links.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace {

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
}

// The run's communicator if it is of several sites, else null.
std::shared_ptr<trellis::SiteComm> of_sites() { return std::dynamic_pointer_cast<trellis::SiteComm>(trellis::world()); }

void join_sites(const std::vector<std::string>& ring, const std::string& name, double wait, double grace,
                std::vector<double> speeds, const std::function<void(std::string)>& waiting) {
    const auto here = trellis::launched_ranks();
    const std::size_t site = trellis::site_named(ring, name);
    std::vector<std::shared_ptr<trellis::Link>> links;
    const nb::gil_scoped_release unlocked;
    if (here->rank() == 0) {
        trellis::LinkSettings settings;
        settings.ring = ring;
        settings.site = site;
        settings.wait = milliseconds(wait);
        settings.grace = milliseconds(grace);
        settings.waiting = [&](const std::string& sentence) {
            const nb::gil_scoped_acquire python;
            waiting(sentence);
        };
        links = trellis::open_links(settings);
    }
    trellis::set_world(trellis::SiteComm::join(here, std::move(links), {ring, site, std::move(speeds)}));
}

void leave_sites() {
    const auto comm = of_sites();
    if (!comm) return;
    const nb::gil_scoped_release unlocked;
    comm->close();
    trellis::set_world(nullptr);
}

std::vector<int> site_begins() {
    const auto begins = trellis::world()->site_begins();
    return {begins.begin(), begins.end()};
}

nb::typed<nb::dict, nb::str, double> wide_traffic() {
    const auto comm = of_sites();
    const trellis::WideTraffic traffic = comm ? comm->wide_traffic() : trellis::WideTraffic{};
    nb::dict facts;
    facts["trips"] = static_cast<double>(traffic.trips);
    facts["messages"] = static_cast<double>(traffic.messages);
    facts["bytes"] = static_cast<double>(traffic.bytes);
    facts["waiting"] = traffic.waiting;
    facts["hidden"] = traffic.hidden;
    return facts;
}

}  // namespace

void bind_sites(nb::module_& core) {
    core.def("join_sites", &join_sites, "ring"_a, "name"_a, "wait"_a, "grace"_a, "speeds"_a, "waiting"_a,
             "Make the ranks of all sites those of this run, as soon as all sites have come; all ranks call it.");
    core.def("leave_sites", &leave_sites,
             "End the links to other sites, once all ranks of all sites have come here; nothing in a run of one site.");
    core.def("site_named", &trellis::site_named, "ring"_a, "name"_a, "The number of the site of this name.");
    core.def("site_begins", &site_begins, "The first rank of each site.");
    core.def("wide_traffic", &wide_traffic,
             "What this rank has sent to other sites, and waited for them: trips that followed one another, messages, "
             "bytes, seconds of waiting, and those hidden behind work.");
}
