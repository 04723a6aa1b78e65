#include "sites.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python_lock.hpp"
#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/deferred_gather.hpp"
#include "trellis/ranks/comm/traffic_class.hpp"
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

// The tag of files, which go from site to site beside the messages of ranks.
constexpr trellis::LinkTag files = 3;

// The links of this process, by the number of the other site: on a site's first rank, while the run lasts.
std::vector<std::weak_ptr<trellis::Link>>& links_here() {
    static std::vector<std::weak_ptr<trellis::Link>> links;
    return links;
}

std::shared_ptr<trellis::Link> link_to(std::size_t site) {
    const auto link = site < links_here().size() ? links_here()[site].lock() : nullptr;
    if (!link) throw trellis::RunError("there is no link to site " + std::to_string(site + 1) + " here");
    return link;
}

void send_to_site(std::size_t site, const nb::bytes& bytes) {
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    std::vector<std::byte> copied(begin, begin + bytes.size());
    const LockReleased unlocked;
    link_to(site)->send(files, std::move(copied));
}

std::optional<nb::bytes> take_from_site(std::size_t site) {
    std::optional<std::vector<std::byte>> taken;
    {
        const LockReleased unlocked;
        const auto link = link_to(site);
        if (link->has(files)) taken = link->receive(files);
    }
    if (!taken) return std::nullopt;
    return nb::bytes(taken->data(), taken->size());
}

// Streams, bytes of a chunk, bytes a second, forwarder: see trellis::LinkChoice.
using LinkGiven =
    std::tuple<std::optional<std::size_t>, std::optional<std::uint32_t>, std::optional<std::uint64_t>, std::string>;

void join_sites(const std::vector<std::string>& ring, const std::string& name, double wait, double grace,
                std::vector<double> speeds, const std::map<std::size_t, LinkGiven>& given,
                std::map<std::size_t, std::size_t> relays, const std::function<void(std::string)>& waiting) {
    const auto here = trellis::launched_ranks();
    const std::size_t site = trellis::site_named(ring, name);
    std::vector<std::shared_ptr<trellis::Link>> links;
    const LockReleased unlocked;
    if (here->rank() == 0) {
        trellis::LinkSettings settings;
        settings.ring = ring;
        settings.site = site;
        settings.wait = milliseconds(wait);
        settings.grace = milliseconds(grace);
        for (const auto& [other, link] : given) {
            const auto& [streams, chunk, pacing, via] = link;
            settings.choices[other] = {streams, chunk, pacing, via};
        }
        settings.waiting = [&](const std::string& sentence) {
            const LockTaken python;
            waiting(sentence);
        };
        links = trellis::open_links(settings);
        links_here().assign(links.begin(), links.end());
    }
    trellis::set_world(
        trellis::SiteComm::join(here, std::move(links), {ring, site, std::move(speeds), std::move(relays)}));
}

void move_messages_along() {
    const LockReleased unlocked;
    if (const auto comm = of_sites()) comm->move_along();
}

void leave_sites() {
    const auto comm = of_sites();
    if (!comm) return;
    const LockReleased unlocked;
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
    facts["trips"] = static_cast<double>(traffic.critical_path_hops);
    facts["visible"] = static_cast<double>(traffic.visible);
    facts["hidden"] = traffic.hidden;
    for (std::size_t k = 0; k < traffic.classes.size(); ++k) {
        const auto& [messages, bytes, waiting] = traffic.classes[k];
        const std::string name(trellis::traffic_class_names[k]);
        facts[(name + "_bytes").c_str()] = static_cast<double>(bytes);
        facts[(name + "_messages").c_str()] = static_cast<double>(messages);
        facts[(name + "_waiting").c_str()] = waiting;
    }
    return facts;
}

// A deferred gather of all ranks of the run, whose communicator it keeps.
struct WorldGather {
    std::shared_ptr<trellis::Comm> comm = trellis::world();
    std::unique_ptr<trellis::DeferredGather> gather = comm->make_deferred_gather();
};

void post(WorldGather& all, const nb::bytes& own) {
    const std::span bytes(static_cast<const std::byte*>(own.data()), own.size());
    const LockReleased unlocked;
    all.gather->post(bytes);
}

nb::typed<nb::list, nb::bytes> collect(WorldGather& all) {
    std::vector<trellis::Message> messages;
    {
        const LockReleased unlocked;
        messages = all.gather->collect();
    }
    nb::list pieces;
    for (const trellis::Message& message : messages)
        pieces.append(nb::bytes(message.bytes.data(), message.bytes.size()));
    return pieces;
}

void set_site_speeds(std::vector<double> speeds) {
    if (const auto comm = of_sites()) comm->set_speeds(std::move(speeds));
}

std::vector<double> site_speeds() {
    const auto comm = of_sites();
    return comm ? comm->sites().speeds : std::vector<double>{};
}

std::vector<std::string> site_names() {
    const auto comm = of_sites();
    return comm ? comm->sites().names : std::vector<std::string>{};
}

nb::typed<nb::dict, std::size_t, nb::typed<nb::dict, nb::str, double>> link_traffic() {
    nb::dict all;
    for (std::size_t site = 0; site < links_here().size(); ++site) {
        const auto link = links_here()[site].lock();
        if (!link) continue;
        const trellis::LinkTraffic traffic = link->traffic();
        nb::dict facts;
        facts["sent"] = static_cast<double>(traffic.bytes_sent);
        facts["received"] = static_cast<double>(traffic.bytes_received);
        facts["streams"] = static_cast<double>(traffic.streams);
        facts["round_trip"] = traffic.round_trip;
        facts["rate"] = traffic.rate;
        all[nb::int_(site)] = facts;
    }
    return all;
}

}  // namespace

void bind_sites(nb::module_& core) {
    core.def("join_sites", &join_sites, "ring"_a, "name"_a, "wait"_a, "grace"_a, "speeds"_a, "links"_a, "relays"_a,
             "waiting"_a,
             "Make the ranks of all sites those of this run, as soon as all sites have connected; all ranks call it.");
    core.def("leave_sites", &leave_sites,
             "End the links to other sites, once all ranks of all sites have come here; nothing in a run of one site.");
    core.def("move_messages_along", &move_messages_along,
             "Forward messages between other sites that have arrived here, without waiting; raise RunError, which says "
             "why, if a site has ended the run. A rank that waits for anything but messages calls it all the time.");
    core.def("site_named", &trellis::site_named, "ring"_a, "name"_a, "The number of the site of this name.");
    core.def("send_to_site", &send_to_site, "site"_a, "bytes"_a,
             "Send bytes to another site, beside the messages of ranks; for its first rank, from that of this one.");
    core.def("take_from_site", &take_from_site, "site"_a,
             "What send_to_site has sent there next, if it has come; on the first rank of a site.");
    core.def("site_begins", &site_begins, "The first rank of each site.");
    core.def("site_names", &site_names, "The sites of this run; empty in a run of one site.");
    core.def("set_site_speeds", &set_site_speeds, "speeds"_a,
             "Speed of a rank of each site, the same on all ranks; no effect in a run of one site.");
    core.def("site_speeds", &site_speeds, "The speeds that were set last; empty if all are equal.");
    core.def("link_traffic", &link_traffic,
             "The links of this process, by the number of the other site: bytes sent and received, streams, the "
             "shortest round trip in seconds, and the bytes a second that it can send (0: not measured).");
    core.def(
        "wide_traffic", &wide_traffic,
        "The traffic of this rank with other sites: hops on the critical path (trips), the number of times that it "
        "asked for a message that had not arrived (visible), seconds of work while messages were under way "
        "(hidden), and for each class of traffic bytes, messages, and seconds of waiting.");
    core.def(
        "traffic_classes",
        [] {
            return std::vector<std::string>(trellis::traffic_class_names.begin(), trellis::traffic_class_names.end());
        },
        "The names of the classes of traffic in wide_traffic.");
    nb::class_<WorldGather>(
        core, "DeferredGather",
        "Bytes of all ranks, which travel between sites with the next messages; on one site post gathers them. All "
        "ranks make the same calls, post and collect in turn.")
        .def(nb::init<>())
        .def("post", &post, "own"_a, "Let this rank's bytes travel; all ranks post the same number.")
        .def("collect", &collect, "The bytes of all ranks, in their order.");
}
