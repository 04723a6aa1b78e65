#include "trellis/ranks/domain/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

// The bounds of the parts: the region's along periodic axes, else those of the samples, widened to 1e-3 of the longest.
Extent bounds_of(std::span<const Sample> samples, const Region& region) {
    Extent bounds{{0, 0, 0}, {1, 1, 1}};
    if (!samples.empty()) bounds = {samples[0].position, samples[0].position};
    for (const Sample& sample : samples) bounds = join(bounds, {sample.position, sample.position});
    const double least = 1e-3 * cube_around(bounds).side;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double lacking = std::max(0.0, least - (bounds.high[axis] - bounds.low[axis]));
        bounds.low[axis] = region.periodic(axis) ? region.low[axis] : bounds.low[axis] - lacking / 2;
        bounds.high[axis] = region.periodic(axis) ? region.high[axis] : bounds.high[axis] + lacking / 2;
    }
    return bounds;
}

// The cumulative weight along an axis, piecewise linear: zero at low, the sum at high; at the position of a sample half
// of its own weight counts.
class Distribution {
  public:
    Distribution(std::span<const Sample> sorted, std::size_t axis, double low, double high) {
        positions_.push_back(low), below_.push_back(0);
        double sum = 0;
        for (const Sample& sample : sorted) {
            positions_.push_back(sample.position[axis]), below_.push_back(sum + sample.weight / 2);
            sum += sample.weight;
        }
        positions_.push_back(high), below_.push_back(sorted.empty() ? 1 : sum);
    }

    double quantile(double share) const {
        const double wanted = share * below_.back();
        const auto above = std::upper_bound(below_.begin() + 1, below_.end() - 1, wanted);
        const auto k = static_cast<std::size_t>(above - below_.begin());
        const double step = below_[k] - below_[k - 1];  // zero if rounding swallows a weight
        return std::lerp(positions_[k - 1], positions_[k], step > 0 ? (wanted - below_[k - 1]) / step : 0);
    }

  private:
    std::vector<double> positions_, below_;
};

// Moves faces until each is at least `width` above the one before and the last is at most high.
void keep_room(std::span<double> faces, double high, double width) {
    for (std::size_t face = 0; face < faces.size(); ++face) {
        faces[face] = std::min(faces[face], high - static_cast<double>(faces.size() - 1 - face) * width);
        if (face > 0) faces[face] = std::max(faces[face], faces[face - 1] + width);
    }
}

// Limits the move of each inner face to `share` of the distance to its former neighbour. Order and widths remain: a
// part becomes narrower than asked for only if the part beside it, which holds the face back, is as narrow; the
// outermost faces, which are free, leave the outermost parts their former width.
void limit(std::span<double> faces, std::span<const double> before, double share) {
    const std::size_t last = faces.size() - 1;
    const double low_width = std::min(faces[1] - faces[0], before[1] - before[0]);
    const double high_width = std::min(faces[last] - faces[last - 1], before[last] - before[last - 1]);
    for (std::size_t face = 1; face < last; ++face) {
        const double down = share * (before[face] - before[face - 1]), up = share * (before[face + 1] - before[face]);
        faces[face] = std::clamp(faces[face], before[face] - down, before[face] + up);
    }
    if (last == 1) return;
    faces[0] = std::min(faces[0], faces[1] - low_width);
    faces[last] = std::max(faces[last], faces[last - 1] + high_width);
}

class Cutter {
  public:
    Cutter(Multisection cuts, std::span<Sample> samples, const Multisection* before, double share)
        : cuts_(std::move(cuts)), before_(before), share_(share), bounds_(bounds_of(samples, cuts_.region())) {
        const Shape& shape = cuts_.shape();
        const auto slabs = cut_row(cuts_.slabs(), 0, samples, [&](int slab) { return shape.begin(slab); });
        parallel_tasks(slabs.size(), [&](std::size_t task, int) {
            const int slab = static_cast<int>(task);
            const auto columns =
                cut_row(cuts_.columns(slab), 1, slabs[task], [&](int column) { return shape.begin(slab, column); });
            for (int column = 0; column < shape.columns; ++column)
                cut_row(cuts_.domains(slab, column), 2, columns[static_cast<std::size_t>(column)],
                        [&](int domain) { return shape.begin(slab, column) + domain; });
        });
    }

    Multisection result() && { return std::move(cuts_); }

  private:
    // Sets the faces of a row whose parts begin with the ranks begin(part), and returns the samples of each part.
    template <class Begin>
    std::vector<std::span<Sample>> cut_row(Multisection::Row row, std::size_t axis, std::span<Sample> samples,
                                           Begin begin) {
        // Sorted by weight, too, so that the result does not depend on the order of samples with equal positions.
        std::ranges::sort(samples, {}, [axis](const Sample& s) { return std::pair{s.position[axis], s.weight}; });
        const double low = bounds_.low[axis], high = bounds_.high[axis];
        const Distribution weight(samples, axis, low, high);
        const int parts = static_cast<int>(row.size) - 1, ranks = begin(parts) - begin(0);
        const auto share_below = [&](int part) { return static_cast<double>(begin(part) - begin(0)) / ranks; };
        const auto faces = cuts_.faces(row);
        for (int part = 1; part < parts; ++part)
            faces[static_cast<std::size_t>(part)] = weight.quantile(share_below(part));
        // The outermost faces of open axes are at the median weight of the outermost parts.
        const bool repeats = cuts_.region().periodic(axis);
        faces.front() = repeats ? low : weight.quantile(share_below(1) / 2);
        faces.back() = repeats ? high : weight.quantile((1 + share_below(parts - 1)) / 2);

        keep_room(faces, high, least_width * (high - low) / parts);
        if (before_ != nullptr) limit(faces, before_->faces(row), share_);
        const double reach = std::max({std::abs(low), std::abs(high), std::abs(faces.front()), std::abs(faces.back())});
        keep_room(faces, Region::infinity,
                  4 * std::numeric_limits<double>::epsilon() * reach);  // restores widths that rounding took
        if (repeats) faces.front() = low, faces.back() = high;
        return divided(samples, axis, faces);
    }

    static std::vector<std::span<Sample>> divided(std::span<Sample> samples, std::size_t axis,
                                                  std::span<const double> faces) {
        std::vector<std::span<Sample>> parts;
        for (std::size_t part = 0; part + 2 < faces.size(); ++part) {
            const auto end = std::ranges::partition_point(
                samples, [&](const Sample& sample) { return sample.position[axis] < faces[part + 1]; });
            const auto count = static_cast<std::size_t>(end - samples.begin());
            parts.push_back(samples.first(count));
            samples = samples.subspan(count);
        }
        parts.push_back(samples);
        return parts;
    }

    Multisection cuts_;
    const Multisection* before_;  // null: no former cuts
    double share_;
    Extent bounds_;
};

}  // namespace

Vec3<double> spread(std::span<const Sample> samples) {
    double weight = 0;
    Vec3<double> sum{0, 0, 0}, squares{0, 0, 0};
    for (const Sample& sample : samples) weight += sample.weight, sum += sample.weight * sample.position;
    const Vec3<double> middle = samples.empty() ? sum : sum / weight;
    for (const Sample& sample : samples)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double distance = sample.position[axis] - middle[axis];
            squares[axis] += sample.weight * distance * distance;
        }
    const double most = largest(squares);
    if (!(most > 0)) return {1, 1, 1};
    const auto share = [&](double square) { return std::max(std::sqrt(square / most), 1e-6); };
    return {share(squares.x), share(squares.y), share(squares.z)};
}

Multisection cut(std::vector<Sample> samples, const Shape& shape, const Region& region) {
    return Cutter(Multisection(shape, region), samples, nullptr, 0).result();
}

Multisection move_cuts(const Multisection& before, std::vector<Sample> samples, double share) {
    return Cutter(Multisection(before.shape(), before.region()), samples, &before, share).result();
}

}  // namespace trellis
