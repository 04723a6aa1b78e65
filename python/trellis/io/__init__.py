"""Files: Gadget-style HDF5 snapshots, and checkpoints."""

from trellis.io.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from trellis.io.gadget_read import Snapshot, read_snapshot
from trellis.io.gadget_write import write_snapshot

__all__ = [
    "Checkpoint",
    "Snapshot",
    "read_checkpoint",
    "read_snapshot",
    "write_checkpoint",
    "write_snapshot",
]
