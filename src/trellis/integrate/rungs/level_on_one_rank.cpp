#include "trellis/integrate/rungs/level_on_one_rank.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "trellis/particles/packed_rows.hpp"
#include "trellis/particles/particle_subset.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

namespace {

using Bytes = std::span<const std::byte>;

// Rows of particles, and the results of their level: the number of bytes of the former, these, and the latter.
std::vector<std::byte> packed(const ParticleSet& particles, std::span<const std::uint32_t> rows, Bytes results) {
    const std::vector<std::byte> columns = RowFormat(particles).packed(particles, rows);
    const std::uint64_t size = columns.size();
    std::vector<std::byte> bytes;
    for (const Bytes each : {bytes_of(size), Bytes(columns), results})
        bytes.insert(bytes.end(), each.begin(), each.end());
    return bytes;
}

struct Unpacked {
    Bytes columns, results;
};

Unpacked unpacked(Bytes bytes) {
    const auto size = value_of<std::uint64_t>(bytes);
    bytes = bytes.subspan(sizeof size);
    return {bytes.first(size), bytes.subspan(size)};
}

std::vector<double> values_of(Bytes bytes) {
    std::vector<double> values(bytes.size() / sizeof(double));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(values)).begin());
    return values;
}

std::vector<std::uint32_t> rows_from(std::size_t first, std::size_t count) {
    std::vector<std::uint32_t> rows(count);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(first));
    return rows;
}

}  // namespace

LevelOnOneRank::LevelOnOneRank(const ParticleSet& all, const Level& level, LevelForces& forces)
    : forces_(forces), rank_(level.size().rank) {
    std::vector<Message> messages;
    const std::vector<double> results = level.values();
    if (!level.rows().empty())
        messages.push_back({rank_, packed(all, level.rows(), std::as_bytes(std::span(results)))});
    messages = forces.ranks().begin_exchange(std::move(messages))->finish();
    if (here()) join(all, messages);
}

void LevelOnOneRank::join(const ParticleSet& all, const std::vector<Message>& messages) {
    particles_.set_region(all.region());
    for (const auto& column : all.columns())
        if (!particles_.has(column->info().name)) particles_.add(column->info());
    const RowFormat format(particles_);
    std::size_t rows = 0;
    for (const Message& message : messages) {
        const std::size_t count = format.row_count(unpacked(message.bytes).columns);
        senders_.push_back({message.rank, rows, count});
        rows += count;
    }
    particles_.replace_rows({}, rows);
    std::vector<double> results;
    for (std::size_t k = 0; k < messages.size(); ++k) {
        const Unpacked sent = unpacked(messages[k].bytes);
        format.unpack(sent.columns, particles_, senders_[k].first);
        std::ranges::copy(values_of(sent.results), std::back_inserter(results));
    }
    joined_.choose(particles_, rows_from(0, rows), rows_from(0, rows), true);
    joined_.collect(particles_, forces_, false);
    joined_.set_values(particles_, results);
    joined_.note_others(particles_);
}

void LevelOnOneRank::send_back(ParticleSet& all, Level& level) {
    throw_failure_of_any();
    std::vector<std::byte> own;
    if (here()) {
        const std::vector<double> results = joined_.values();
        const std::size_t width = results.size() / particles_.size();
        for (const Sender& sender : senders_) {
            const auto of_rows = std::span(results).subspan(sender.first * width, sender.count * width);
            auto bytes = packed(particles_, rows_from(sender.first, sender.count), std::as_bytes(of_rows));
            if (sender.rank == rank_)
                own = std::move(bytes);
            else
                forces_.ranks().send(sender.rank, bytes);
        }
    } else if (!level.rows().empty()) {
        own = forces_.ranks().receive(rank_);
    }
    if (own.empty()) return;
    const Unpacked came = unpacked(own);
    ParticleSubset rows;
    rows.choose(all, {level.rows().begin(), level.rows().end()});
    rows.gather(all);
    RowFormat(rows.particles()).unpack(came.columns, rows.particles(), 0);
    for (const auto& column : all.columns()) rows.scatter(column->info().name, all);
    level.set_values(all, values_of(came.results));
}

void LevelOnOneRank::throw_failure_of_any() const {
    struct Outcome {
        int failed;
        bool abandoned;
    };
    Comm& ranks = forces_.ranks();
    const Outcome own{failed_rank(ranks, failure_), abandoned_ || forces_.asks_to_abandon()};
    const Outcome all = all_reduce(ranks, own, [](const Outcome& a, const Outcome& b) {
        return Outcome{std::min(a.failed, b.failed), a.abandoned || b.abandoned};
    });
    throw_failure(ranks, failure_, all.failed);
    if (all.abandoned) throw StepAbandoned();
}

}  // namespace trellis
