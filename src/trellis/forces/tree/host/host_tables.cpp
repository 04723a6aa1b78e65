#include "trellis/forces/tree/host/host_tables.hpp"

#include <algorithm>
#include <cstring>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/host/cell_units.hpp"

namespace trellis {

namespace {

// So few particles that double precision costs less than what a step of any number of particles does.
constexpr std::size_t few_particles = 256;

}  // namespace

void HostTables::describe(const ListedTree& listed) {
    const InteractionKernels& all = interaction_.kernels;
    kernels_ = interaction_.single(listed) ? &all.single_precision : &all.double_precision;
    at_order_ = kernels_->at_order(listed.opening().order);
    const auto with_spare = [](std::size_t imported) { return imported + imported / 4; };
    make_room(listed.tree().local_cells() + with_spare(imported_cells_),
              listed.columns().size() + with_spare(imported_slots_));
    fill(listed, listed.tree().levels());
}

void HostTables::describe_imported(const ListedTree& listed, const ImportedCells& imported) {
    const std::size_t cells = listed.tree().cells().size(), slots = listed.columns().slots();
    imported_cells_ = imported.cells.size();
    imported_slots_ = imported.slots();
    if (cells > room_for_cells_ || slots > room_for_slots_) {
        make_room(cells + imported_cells_ / 4, slots + imported_slots_ / 4);
        fill(listed, listed.tree().levels());
    }
    const std::size_t moment_bytes = bytes(), row_bytes = at_order_.row_bytes;
    std::byte* first = rows_ + listed.tree().local_cells() * row_bytes;
    parallel_for(moment_bytes == 0 ? 0 : imported.closed.size(), [&](std::size_t k) {
        std::memcpy(first + imported.closed[k] * row_bytes, imported.closed_moments.data() + k * moment_bytes,
                    moment_bytes);
    });
    fill(listed, listed.tree().imported_levels());
}

// Makes room without keeping the contents.
void HostTables::make_room(std::size_t cells, std::size_t slots) {
    room_for_cells_ = cells;
    room_for_slots_ = slots;
    const std::size_t row_bytes = cells * at_order_.row_bytes;
    const std::size_t slot_bytes = interaction_.kernels.source_components * padded_slots(slots) * kernels_->value_bytes;
    row_space_.start(row_bytes);
    slot_space_.start(slot_bytes);
    rows_ = row_space_.take<std::byte>(row_bytes);
    j_particles_ = slot_space_.take<std::byte>(slot_bytes);
}

// Fills in the cells of these levels and the particles of their leaves.
void HostTables::fill(const ListedTree& listed, std::span<const std::uint32_t> levels) {
    find_units(listed, levels, units_);
    point_to(listed);
    constexpr std::size_t stretch = 256;
    const auto in_stretches = [&](std::size_t begin, std::size_t end, const auto& work) {
        parallel_tasks((end - begin + stretch - 1) / stretch, [&](std::size_t task, int) {
            work(begin + task * stretch, std::min(begin + (task + 1) * stretch, end));
        });
    };
    in_stretches(levels.front(), levels.back(),
                 [&](std::size_t begin, std::size_t end) { kernels_->j_particles(scene_, begin, end, j_particles_); });
    for (std::size_t level = levels.size() - 1; level-- > 0;)
        in_stretches(levels[level], levels[level + 1], [&](std::size_t begin, std::size_t end) {
            at_order_.describe_cells(scene_, listed.strength(), begin, end, rows_);
        });
}

void HostTables::point_to(const ListedTree& listed) {
    const SortedColumns& sorted = listed.columns();
    columns_.clear();
    cell_sums_.clear();
    for (std::size_t c = 0; c < sorted.component_count(); ++c) columns_.push_back(sorted.component(c));
    for (std::size_t c = 3; c < sorted.component_count(); ++c) cell_sums_.push_back(listed.moments().sum(c));
    scene_.cells = listed.tree().cells();
    scene_.spheres = listed.moments().spheres().data();
    scene_.units = units_.data();
    scene_.corner = listed.tree().root_box().low;
    scene_.columns = columns_;
    scene_.source_components = interaction_.kernels.source_components;
    scene_.j_particles = j_particles_;
    scene_.j_stride = padded_slots(room_for_slots_);
    scene_.cell_sums = cell_sums_;
    const auto softening = listed.softening();
    scene_.cell_softenings = softening ? listed.moments().sum(*softening) : nullptr;
    scene_.order = listed.tree().order().data();
    scene_.receiver = listed.opening().receiver;
    scene_.near_in_double = near_in_double(listed.columns().size());
}

NearInDouble HostTables::near_in_double(std::size_t particles) const {
    if (interaction_.precision != Precision::automatic) return NearInDouble::none;
    return particles <= few_particles ? NearInDouble::all : NearInDouble::close;
}

void HostTables::write(std::uint32_t cell, std::byte* out) const {
    if (bytes() > 0) std::memcpy(out, rows_ + cell * at_order_.row_bytes, bytes());
}

void HostTables::join(const Sphere& parent, const std::array<Sphere, 2>& children,
                      const std::array<const std::byte*, 2>& moments, std::byte* out) const {
    if (bytes() > 0) at_order_.join_moments(parent, children, moments, out);
}

}  // namespace trellis
