#include "trellis/lists/neighbours/ghosts.hpp"

#include <algorithm>

#include "trellis/lists/neighbours/search/images.hpp"
#include "trellis/packing/bytes.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/traffic_scope.hpp"

namespace trellis {

namespace {

// The number of zones by which a rank describes to its neighbours where it needs ghosts: more zones, fewer ghosts.
constexpr std::size_t most_zones = 128;

// All particles of a rank.
struct Whole {
    Zone zone{};
    bool any = false;
};

// The zones of cells in a tree's upper levels that together contain all particles.
std::vector<Zone> upper_zones(const SearchTree& tree) {
    std::vector<std::uint32_t> cells{0};
    for (std::size_t next = 0; next < cells.size() && cells.size() < most_zones;) {
        const Cell& cell = tree.cells()[cells[next]];
        if (cell.is_leaf()) {
            ++next;
            continue;
        }
        cells.push_back(cell.child);
        cells.push_back(cell.child + 1);
        cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(next));
    }
    std::vector<Zone> zones;
    zones.reserve(cells.size());
    for (const std::uint32_t cell : cells) zones.push_back(tree.zone(cell));
    return zones;
}

// Finds the particles of one image that particles in given zones may interact with.
class Chooser {
  public:
    Chooser(const SearchTree& own, const WiderSearch& search, const Vec3<double>& shift)
        : own_(own), search_(search), shift_(shift) {}

    // Calls take(slot) in rising order.
    template <class Take>
    void visit(std::uint32_t cell, std::span<const Zone> zones, Take&& take) const {
        const auto near = near_of(zones, own_.zone(cell));
        if (near.empty()) return;
        const Cell& own = own_.cells()[cell];
        if (!own.is_leaf()) {
            visit(own.child, near, take);
            visit(own.child + 1, near, take);
            return;
        }
        for (std::uint32_t slot = own.first; slot < own.end(); ++slot) {
            const Zone particle{{own_.positions()[slot], own_.positions()[slot]}, own_.radii()[slot]};
            if (std::ranges::any_of(near, [&](const Zone& zone) { return may_interact(zone, particle); })) take(slot);
        }
    }

  private:
    bool may_interact(const Zone& remote, const Zone& local) const {
        return search_.may_interact(remote, moved(local.bounds, shift_), local.radius);
    }

    std::vector<Zone> near_of(std::span<const Zone> zones, const Zone& local) const {
        std::vector<Zone> near;
        for (const Zone& zone : zones)
            if (may_interact(zone, local)) near.push_back(zone);
        return near;
    }

    const SearchTree& own_;
    WiderSearch search_;
    Vec3<double> shift_;
};

}  // namespace

void Ghosts::find(Comm& comm, const SearchTree& own, Search search, double skin, const Region& region,
                  std::span<const std::uint64_t> ids) {
    const TrafficScope part(comm, TrafficClass::trees);
    const WiderSearch wider{search, 1 + skin};
    const Whole local = own.size() > 0 ? Whole{own.zone(0), true} : Whole{};
    const auto wholes = all_gather(comm, local);
    std::vector<Message> requests;
    const std::vector<Zone> zones = local.any ? upper_zones(own) : std::vector<Zone>{};
    for (int rank = 0; rank < comm.size(); ++rank) {
        const Whole& remote = wholes[static_cast<std::size_t>(rank)];
        if (rank == comm.rank() || !local.any || !remote.any) continue;
        const double reach = wider.factor * reach_of(search, local.zone.radius, remote.zone.radius);
        if (shifts_near(region, remote.zone.bounds, local.zone.bounds, reach).empty()) continue;
        ByteWriter request;
        request.put(std::span(zones));
        requests.push_back({rank, request.take()});
    }
    recipients_.clear();
    std::vector<Message> answers;
    for (const Message& request : comm.begin_exchange(std::move(requests))->finish()) {
        std::vector<Zone> asked(request.bytes.size() / sizeof(Zone));
        ByteReader(request.bytes).get(std::span(asked));
        Recipient recipient{request.rank, {}, {}};
        choose(own, wider, region, wholes[static_cast<std::size_t>(request.rank)].zone, asked, recipient);
        if (recipient.particles.empty()) continue;
        ByteWriter answer;
        for (const Sent& sent : recipient.particles) {
            answer.put(own.positions()[sent.slot] + recipient.shifts[sent.image]);
            answer.put(own.radii()[sent.slot]);
            if (!ids.empty()) answer.put(ids[sent.slot]);
        }
        answers.push_back({request.rank, answer.take()});
        recipients_.push_back(std::move(recipient));
    }
    positions_.clear();
    radii_.clear();
    ids_.clear();
    for (const Message& answer : comm.begin_exchange(std::move(answers))->finish())
        for (ByteReader reader(answer.bytes); !reader.at_end();) {
            positions_.push_back(reader.get<Vec3<double>>());
            radii_.push_back(reader.get<double>());
            if (!ids.empty()) ids_.push_back(reader.get<std::uint64_t>());
        }
}

void Ghosts::choose(const SearchTree& own, const WiderSearch& search, const Region& region, const Zone& all,
                    std::span<const Zone> zones, Recipient& recipient) const {
    const double reach = search.factor * reach_of(search.search, all.radius, own.zone(0).radius);
    recipient.shifts = shifts_near(region, own.zone(0).bounds, all.bounds, reach);
    for (std::uint32_t image = 0; image < recipient.shifts.size(); ++image)
        Chooser(own, search, recipient.shifts[image]).visit(0, zones, [&](std::uint32_t slot) {
            recipient.particles.push_back({slot, image});
        });
}

std::unique_ptr<Exchange> Ghosts::begin(Comm& comm, const SortedColumns& own, std::size_t components) const {
    std::vector<Message> messages;
    messages.reserve(recipients_.size());
    for (const Recipient& recipient : recipients_) {
        std::vector<double> values;
        values.reserve(recipient.particles.size() * components);
        for (std::size_t c = 0; c < components; ++c)
            for (const Sent& sent : recipient.particles)
                values.push_back(own.component(c)[sent.slot] + (c < 3 ? recipient.shifts[sent.image][c] : 0.0));
        ByteWriter writer;
        writer.put(std::span<const double>(values));
        messages.push_back({recipient.rank, writer.take()});
    }
    const TrafficScope part(comm, TrafficClass::trees);
    return comm.begin_exchange(std::move(messages));
}

std::vector<std::vector<double>> Ghosts::finish(Exchange& exchange, std::size_t components) {
    std::vector<std::vector<double>> all(components);
    for (const Message& message : exchange.finish()) {
        ByteReader reader(message.bytes);
        const std::size_t count = message.bytes.size() / (sizeof(double) * components);
        for (auto& values : all) {
            values.resize(values.size() + count);
            reader.get(std::span(values).last(count));
        }
    }
    return all;
}

}  // namespace trellis
