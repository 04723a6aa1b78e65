// A neighbourhood that is kept over steps while its lists are valid, and over checkpoints. A device may make its next
// lists ahead.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trellis/devices/devices.hpp"
#include "trellis/forces/device_client.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/forces/list_checkpoint.hpp"
#include "trellis/forces/short_range/async_neighbour_lists.hpp"
#include "trellis/lists/neighbours/neighbourhood.hpp"

namespace trellis {

class NeighbourListCache {
  public:
    // keeps: true if lists are to serve further steps, also after a checkpoint. exclusions: see Neighbourhood.
    NeighbourListCache(Search search, double skin, std::uint32_t group_size, bool keeps,
                       std::shared_ptr<const Exclusions> exclusions = nullptr)
        : search_(search),
          skin_(skin),
          group_size_(group_size),
          neighbourhood_(search, skin, group_size, std::move(exclusions)),
          keeps_(keeps) {}

    // Lists of a constant search radius, of all rows, are pruned to this skin at the first reusing step, and again
    // whenever the pruned ones are no longer valid. To be called before attach.
    void prune_to(double skin) { pruned_skin_ = skin; }
    // Lists of a symmetric search that serve several steps are pruned to this skin at each step of all particles, but
    // for individual steps: several loops over pairs follow, in which search radii grow little. To be called before
    // attach.
    void prune_at_each_step(double skin) { skin_of_a_step_ = keeps_ ? skin : 0; }
    // From now on lists serve devices, which take those of blocks, or the host.
    void serve_devices(bool devices) {
        serve_devices_ = devices;
        check_.reset();  // other lists are in use from now on
    }

    // From now on this device makes the lists, requested a step before they are needed. To be called before attach.
    void ask_ahead(const std::shared_ptr<Device>& device);

    // See ListCheckpoint::attach.
    void attach(ParticleSet& particles, std::size_t number);

    // Prepares a step: takes the lists of an earlier one if they may be reused and are valid for these radii, else
    // rebuilds them. Lists that were requested ahead count as those of an earlier step. rows: 1 for each row whose
    // lists are needed, until the next call; empty for all.
    void prepare(ParticleSet& particles, const Radii& radii, const Ranks* ranks, const ForceStep& step, Phases& phases,
                 std::span<const std::uint8_t> rows = {});
    // Rebuilds lists that are no longer valid after the radii of some rows, flagged with 1, have changed within the
    // step. True if they had to be rebuilt.
    bool follow(ParticleSet& particles, const Radii& radii, std::span<const std::uint8_t> changed, const Ranks* ranks,
                Phases& phases);

    // Requests the lists of the next step, at the present positions; the lists in use stay. Lists are noted when they
    // are requested, so that after a checkpoint or a failure the host makes the same lists.
    void ask_for_next(ParticleSet& particles, const Radii& radii, const Ranks* ranks, const ForceStep& step,
                      Phases& phases);
    bool asks_ahead() const { return next_ != nullptr; }
    // Adds the use of the device by the lists taken since the last call; `use` may count that device already.
    void add_use(std::optional<DeviceUse>& use, const Devices& counted);
    // See DeviceClient::drop_list_device.
    bool drop_list_device(std::string_view device) { return next_ != nullptr && next_->drop_list_device(device); }

    // Discards the lists of a failed step, which must not serve when it is repeated: those noted before it are rebuilt.
    void forget();
    // The columns in which lists are noted; empty if no lists are kept.
    std::vector<std::string> kept_columns() const { return kept_.columns(); }

    const Neighbourhood& lists() const { return neighbourhood_; }
    const ListUse& use() const { return use_; }

  private:
    bool prunes() const { return pruned_skin_ > 0 && !serve_devices_; }
    bool holds(ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases);
    bool holds_with(const ParticleSet& particles, const Radii& radii, std::span<const std::uint8_t> changed,
                    Phases& phases);
    const DisplacementCheck& check(const ParticleSet& particles, const Radii& radii,
                                   std::span<const std::uint8_t> changed);
    bool same_rows(const ParticleSet& particles) const;
    bool restore(const ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases);
    bool prune(ParticleSet& particles, const Radii& radii, Phases& phases);
    bool take_next(const ParticleSet& particles, const Ranks* ranks, const ForceStep& step, Phases& phases);
    void note(ParticleSet& particles, const Radii& radii);
    void construct(ParticleSet& particles, const Radii& radii, double skin, const Ranks* ranks, Phases& phases);
    void build(const ParticleSet& particles, std::string_view positions, const Radii& radii, double skin,
               const Ranks* ranks, Phases& phases);

    Search search_;
    double skin_;
    std::uint32_t group_size_;
    Neighbourhood neighbourhood_;
    std::unique_ptr<AsyncNeighbourLists> next_;  // null: no lists are requested ahead
    bool keeps_;
    double pruned_skin_ = 0;     // 0: lists are not pruned
    double skin_of_a_step_ = 0;  // 0: they are not pruned at each step
    bool prunes_now_ = false;    // at the step that was prepared
    bool serve_devices_ = false;
    ListCheckpoint kept_, kept_pruned_;  // the latter only where lists are pruned
    ListUse use_;
    bool have_lists_ = false;
    // The lists are in the order of an earlier construction. They serve some rows alone: what a checkpoint notes are
    // lists for all rows, which can be made again.
    bool renewed_ = false;
    std::uint64_t arrangement_ = 0;           // of the rows that the lists are for
    std::vector<std::uint8_t> rows_;          // whose lists are needed; empty for all
    std::optional<DisplacementCheck> check_;  // of the lists in use, at the positions checked last; empty before
};

}  // namespace trellis
