#include "trellis/run/own_results.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

std::size_t width_of(const Column& column) { return column.info().components; }

std::size_t value_count(const Column& column) { return column.size() * width_of(column); }

void fill_with_zeros(Column& column) {
    double* values = column.values();
    parallel_for(value_count(column), [&](std::size_t i) { values[i] = 0; });
}

}  // namespace

std::string own_result(std::string_view result) { return "_own_" + std::string(result); }

void OwnResults::add(ParticleSet& particles, std::span<const FieldInfo> results) {
    for (const FieldInfo& field : results) {
        if (std::ranges::find(results_, field.name) != results_.end()) continue;
        results_.push_back(field.name);
        FieldInfo part = field;
        part.name = own_result(field.name);
        if (!particles.has(part.name)) particles.add(part);
    }
}

void OwnResults::clear(ParticleSet& particles) const {
    for (const std::string& result : results_) fill_with_zeros(particles.column(own_result(result)));
}

Work OwnResults::retrieve(Force& force, ParticleSet& particles, Phases& phases) const {
    std::vector<std::vector<double>> others;
    for (const FieldInfo& field : force.results()) {
        Column& result = particles.column(field.name);
        others.emplace_back(result.values(), result.values() + value_count(result));
        fill_with_zeros(result);
    }
    const Work work = force.retrieve(particles, phases);
    for (std::size_t k = 0; k < others.size(); ++k) {
        Column& result = particles.column(force.results()[k].name);
        double *sum = result.values(), *part = particles.column(own_result(result.info().name)).values();
        parallel_for(value_count(result), [&](std::size_t i) {
            part[i] += sum[i];
            sum[i] += others[k][i];
        });
    }
    return work;
}

void OwnResults::compute(ParticleSet& particles, const ActiveRows& active, const std::function<void()>& compute) {
    const std::size_t count = active.count(particles.size());
    before_.resize(results_.size());
    for (std::size_t number = 0; number < results_.size(); ++number) {
        const Column& sum = particles.column(results_[number]);
        const std::size_t width = width_of(sum);
        before_[number].resize(count * width);
        parallel_for(count, [&](std::size_t k) {
            std::copy_n(sum.values() + active[k] * width, width, before_[number].data() + k * width);
        });
    }
    compute();
    for (std::size_t number = 0; number < results_.size(); ++number) {
        Column& sum = particles.column(results_[number]);
        Column& part = particles.column(own_result(results_[number]));
        const std::size_t width = width_of(sum);
        parallel_for(count, [&](std::size_t k) {
            const std::size_t of_row = active[k] * width;
            std::copy_n(sum.values() + of_row, width, part.values() + of_row);
            std::copy_n(before_[number].data() + k * width, width, sum.values() + of_row);
        });
    }
}

void OwnResults::add(const ParticleSet& particles, std::span<const std::uint32_t> rows, std::string_view result,
                     std::span<double> sums) const {
    if (std::ranges::find(results_, result) == results_.end()) return;
    const Column& part = particles.column(own_result(result));
    const std::size_t width = width_of(part);
    parallel_for(rows.size(), [&](std::size_t k) {
        for (std::size_t c = 0; c < width; ++c) sums[k * width + c] += part.values()[rows[k] * width + c];
    });
}

}  // namespace trellis
