// The moments of cells that a device makes from its rows of particles, beside those of the host.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/devices/room.hpp"
#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/tree/device/batches/device_cells.hpp"
#include "trellis/forces/tree/device/batches/frames.hpp"
#include "trellis/forces/tree/device/batches/rows.hpp"
#include "trellis/forces/tree/device/provide_pairs.hpp"
#include "trellis/forces/tree/expansions/cell_layout.hpp"
#include "trellis/forces/tree/host/cell_units.hpp"
#include "trellis/forces/tree/host/host_tables.hpp"
#include "trellis/forces/tree/kernels/device_moments.hpp"
#include "trellis/forces/tree/settings.hpp"
#include "unit/particle_models.hpp"

namespace trellis::device_moments_test {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

template <class R>
std::vector<R> rows_by_device(const ListedTree& listed, const InteractionKernels& kernels, int order,
                              std::size_t cell_bytes) {
    const std::size_t cells = listed.tree().cells().size(), values = cell_bytes / sizeof(R);
    BatchKernel kernel{};
    kernel.row = {sizeof(R), static_cast<std::uint32_t>(row_stride_of(listed.columns().component_count())), 3};
    kernel.row_bytes = kernel.row.bytes();
    kernel.order = order;
    kernel.cell_bytes = cell_bytes;
    kernel.strength = static_cast<std::uint32_t>(place_in_row(kernels.strength));
    std::vector<R> particles(row_count(listed) * kernel.row.values), frames(cells * frame_values);
    write_rows(listed, 0, particles.data());
    std::vector<double> units;
    find_units(listed, listed.tree().levels(), units);
    write_frames(listed, units, frames.data());

    const auto device = open_device("cpu");
    const auto queue = device->make_queue();
    const DeviceMemory table(device, particles.size() * sizeof(R));
    queue->upload(table, 0, bytes_of(particles));
    const HostCells on_host{.count = cells,
                            .made_there = true,
                            .rows = {},
                            .frames = bytes_of(frames),
                            .tree = listed.tree().cells(),
                            .levels = listed.tree().levels()};
    DeviceCells on_device;
    for (std::size_t k = 0; k < on_device.memories().size(); ++k)
        make_room(*on_device.memories()[k], device, DeviceCells::sizes(on_host, kernel)[k]);
    on_device.send(device, *queue, on_host, table, kernel);
    std::vector<R> rows(cells * values);
    queue->download(on_device.rows(), 0, std::as_writable_bytes(std::span(rows)));
    queue->wait();
    return rows;
}

// allowed: the largest difference of moments, over the weight of their cell.
template <class R>
void compare(const ParticleSet& particles, int order, double allowed) {
    const InteractionKernels kernels = TRELLIS_VARIANT(gravity_kernels)();
    provide_pairs(kernels);
    const ForceChoice choice = choose({.method = Method::fmm, .order = order}, true, false);
    ListedTree listed(kernels.fields, kernels.source_components, kernels.strength, choice.opening, choice.group_size,
                      choice.leaf_size, kernels.softening);
    Phases phases;
    listed.build(particles, Position::name, {}, phases);
    const CompiledInteraction interaction{kernels, std::make_shared<const Gravity>(),
                                          sizeof(R) == sizeof(float) ? Precision::single_ : Precision::double_};
    HostTables host(interaction);
    host.describe(listed);

    const std::size_t values = host.kernels().row_bytes / sizeof(R);
    const std::vector<R> made = rows_by_device<R>(listed, kernels, order, host.kernels().row_bytes);
    const R* wanted = reinterpret_cast<const R*>(host.rows());
    const auto moments = static_cast<std::size_t>(terms(order));
    for (std::size_t cell = 0; cell < listed.tree().cells().size(); ++cell) {
        const double weight = listed.moments().weights()[cell];
        for (std::size_t k = 0; k < moments + frame_widening; ++k) {  // without softenings there is no widening
            const double error = std::abs(double{made[cell * values + k]} - double{wanted[cell * values + k]});
            ASSERT_LE(error, k < moments ? allowed * weight : 0) << "cell " << cell << ", value " << k;
        }
    }
}

TEST(DeviceMoments, AreThoseOfTheHost) {
    const auto at_all_orders = [](const ParticleSet& particles) {
        for (int order = 2; order <= highest_order; ++order) {
            compare<float>(particles, order, 1e-6);
            compare<double>(particles, order, 1e-11);
        }
    };
    at_all_orders(models::plummer(3000, 1));
    at_all_orders(models::clustered(2000, 2));
    at_all_orders(models::one_place(100, 3));
    at_all_orders(models::plummer(1, 4));
}

}  // namespace trellis::device_moments_test
