"""The threads of this process."""

from __future__ import annotations

from trellis import _core
from trellis.arguments import checked_arguments


@checked_arguments()
def set_threads(count: int) -> None:
    """Use `count` threads from now on; results have the same bits for any number."""
    if count != int(count):
        raise _core.InputError(f"threads is {count}, but must be a whole number")
    _core.set_threads(int(count))
