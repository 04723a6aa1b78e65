#include "trellis/forces/run_time/run_time_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "trellis/forces/run_time/run_time_rows.hpp"
#include "trellis/forces/short_range/kernels/neighbour_reference.hpp"

namespace trellis {

namespace {

// The sources have the first fields alone.
std::span<const FieldInfo> source_fields(const RunTimePair& pair) {
    std::size_t count = 0;
    for (std::size_t components = 0; components < pair.source_components; ++count)
        components += pair.fields[count].components;
    return std::span(pair.fields).first(count);
}

class Reference {
  public:
    Reference(const RunTimePair& pair, const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row)
        : pair_(pair), sources_(sources, source_fields(pair)), more_(pair.outcome_components()) {
        const Rows rows(targets, pair.fields);
        for (const std::size_t c : pair.target_components) target_.push_back(rows(c, row));
        source_.resize(pair.source_components);
        constexpr double huge = std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < more_.size(); ++c)
            outcome_.push_back(c < pair.summed ? 0 : c < pair.summed + pair.raised ? -huge : huge);
    }

    void take(std::size_t row) {
        for (std::size_t c = 0; c < source_.size(); ++c) source_[c] = sources_(c, row);
        at_ = {source_[0], source_[1], source_[2]};
    }
    Vec3<double> apart() const { return at_ - Vec3<double>{target_[0], target_[1], target_[2]}; }

    // Evaluates the source that was taken, or its image; returns the squared distance within which it counts.
    double evaluate(const Vec3<double>& shift) {
        for (std::size_t axis = 0; axis < 3; ++axis) source_[axis] = at_[axis] + shift[axis];
        return pair_.pair(pair_.context(), target_.data(), source_.data(), more_.data());
    }
    // Adds what was evaluated, by a factor.
    void add(double factor = 1) {
        const OutcomeOrder order{pair_.summed, pair_.summed + pair_.raised};
        for (std::size_t c = 0; c < more_.size(); ++c)
            outcome_[c] = order.joined(c, outcome_[c], order.scaled(c, more_[c], factor));
    }

    void finish(double* result) {
        for (std::size_t c = pair_.summed; c < outcome_.size(); ++c)
            if (std::isinf(outcome_[c])) outcome_[c] = 0;
        pair_.finish(pair_.context(), target_.data(), outcome_.data());
        std::ranges::copy(outcome_, result);
    }

  private:
    const RunTimePair& pair_;
    Rows sources_;
    std::vector<double> target_, source_, more_, outcome_;
    Vec3<double> at_{};
};

}  // namespace

void run_time_reference(const void* pair, const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row,
                        std::int64_t self, double* result) {
    Reference reference(*static_cast<const RunTimePair*>(pair), sources, targets, row);
    for (std::size_t j = 0; j < sources.size(); ++j) {
        if (static_cast<std::int64_t>(j) == self) continue;
        reference.take(j);
        reference.evaluate({0, 0, 0});
        reference.add();
    }
    reference.finish(result);
}

void run_time_neighbour_reference(const void* pair, const ParticleSet& sources, const ParticleSet& targets,
                                  std::uint32_t row, std::int64_t self, std::span<const double> factors,
                                  double* result) {
    Reference reference(*static_cast<const RunTimePair*>(pair), sources, targets, row);
    for (std::size_t j = 0; j < sources.size(); ++j) {
        const double factor = factors.empty() ? 1 : factors[j];
        if (factor == 0) continue;
        reference.take(j);
        const Vec3<double> apart = reference.apart();
        const double reach2 = reference.evaluate({0, 0, 0});
        each_image(sources.region(), apart, std::sqrt(reach2), [&](const Vec3<double>& shift) {
            if (static_cast<std::int64_t>(j) == self && shift == Vec3<double>{0, 0, 0}) return;
            const Vec3<double> d = apart + shift;
            if (!(dot(d, d) < reach2)) return;
            reference.evaluate(shift);
            reference.add(factor);
        });
    }
    reference.finish(result);
}

}  // namespace trellis
