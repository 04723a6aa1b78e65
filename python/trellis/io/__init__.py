"""Files: snapshots in the formats of Gadget, checkpoints and trajectories."""

from trellis.io.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from trellis.io.gadget_read import Snapshot, read_snapshot
from trellis.io.gadget_write import write_snapshot
from trellis.io.owners import Owners, read_owners
from trellis.io.replica_trajectories import ReplicaTrajectories
from trellis.io.trajectory import Trajectory

__all__ = [
    "Checkpoint",
    "Owners",
    "ReplicaTrajectories",
    "Snapshot",
    "Trajectory",
    "read_checkpoint",
    "read_owners",
    "read_snapshot",
    "write_checkpoint",
    "write_snapshot",
]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
