#include "trellis/lists/essential/domain_summary.hpp"

#include <algorithm>

namespace trellis {

void DomainSummary::write(ByteWriter& out) const {
    out.put(count);
    out.put(contents);
    out.put(size);
    out.put(tolerance);
    out.put(softening);
    out.put_counted(std::span<const double>(sums));
    out.put_counted(std::span<const std::byte>(moments));
}

DomainSummary DomainSummary::read(ByteReader& in) {
    DomainSummary summary;
    summary.count = in.get<std::uint64_t>();
    summary.contents = in.get<CellContents>();
    summary.size = in.get<double>();
    summary.tolerance = in.get<double>();
    summary.softening = in.get<CellSoftening>();
    summary.sums = in.get_counted<double>();
    summary.moments = in.get_counted<std::byte>();
    return summary;
}

DomainSummary summary_of(const ListedTree& listed, const CellMoments& moments) {
    DomainSummary summary;
    summary.sums.resize(listed.source_components() - 3);
    summary.moments.resize(moments.bytes());
    summary.count = listed.columns().size();
    if (summary.empty()) return summary;
    const Moments& own = listed.moments();
    summary.contents = {own.spheres()[0], own.bounds()[0], own.weights()[0]};
    const double radius = own.spheres()[0].radius;
    summary.size = listed.sizes().empty() ? radius : listed.sizes()[0].now(radius);
    const auto tolerances = listed.tolerances();
    summary.tolerance = tolerances.empty() ? any_error : tolerances[0].smallest;
    if (!own.softenings().empty()) summary.softening = own.softenings()[0];
    for (std::size_t c = 0; c < summary.sums.size(); ++c) summary.sums[c] = own.sum(c + 3)[0];
    moments.write(0, summary.moments.data());
    return summary;
}

DomainSummary join(const DomainSummary& a, const DomainSummary& b, const Opening& opening, const CellMoments& moments) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    DomainSummary both = a;
    both.count += b.count;
    both.contents = join(a.contents, b.contents);
    const Bounds& bounds = both.contents.bounds;
    const double radius = both.contents.sphere.radius;
    both.size = opening.receiver == Receiver::particle
                    ? size_for_particles(largest(bounds.high - bounds.low), radius, opening.theta).size
                    : radius;
    both.tolerance = std::min(a.tolerance, b.tolerance);
    both.softening = join(a.softening, a.contents.weight, b.softening, b.contents.weight);
    for (std::size_t c = 0; c < both.sums.size(); ++c) both.sums[c] += b.sums[c];
    moments.join(both.contents.sphere, {a.contents.sphere, b.contents.sphere}, {a.moments.data(), b.moments.data()},
                 both.moments.data());
    return both;
}

DomainSummary moved(DomainSummary summary, const Vec3<double>& shift) {
    summary.contents.sphere.centre += shift;
    summary.contents.bounds.low += shift;
    summary.contents.bounds.high += shift;
    return summary;
}

bool acts_as_whole(const DomainSummary& source, const DomainSummary& target, const Opening& opening) {
    const double distance2 = nearest_distance2(target.contents.bounds, source.contents.sphere.centre);
    return acceptable(source.size, distance2, source.contents.weight, source.softening.variation(), opening,
                      opening.order + 1, target.tolerance);
}

bool beyond_cutoff(const DomainSummary& source, const DomainSummary& target, const Opening& opening) {
    const Bounds &of = source.contents.bounds, &at = target.contents.bounds;
    double distance2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double apart = std::max({of.low[axis] - at.high[axis], at.low[axis] - of.high[axis], 0.0});
        distance2 += apart * apart;
    }
    return distance2 > opening.cutoff * opening.cutoff;
}

WalkTarget target_of(const DomainSummary& summary) {
    const CellContents& contents = summary.contents;
    return {contents.bounds,   contents.sphere.centre, contents.sphere.radius,
            summary.tolerance, summary.tolerance,      true};
}

}  // namespace trellis
