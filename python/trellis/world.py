"""The ranks of this run: the processes that mpirun started, which share the particles; of all sites, if there are more.

All functions but `rank`, `ranks`, `site_firsts`, `is_site_first`, `wait_for_first` and `end_run` are collective: every
rank calls them, in the same order. So are those marked by `collective`. Each compares its name with that of the calls
in which the other ranks are: where they differ, and where a rank has come to the end of the program instead, all ranks
raise a RuntimeError that names both.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import TracebackType
from typing import NoReturn, ParamSpec, TypeVar

from trellis import _core

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

LAUNCHED = "OMPI_COMM_WORLD_SIZE"  # Open MPI's mpirun sets it
GRACE = 0.3  # seconds that each rank leaves the ranks before it to say what went wrong, if all fail alike


def rank() -> int:
    """Return the number of this rank, from 0."""
    return _core.world().rank


def ranks() -> int:
    """Return how many ranks share the run; 1 without mpirun."""
    return _core.world().size


def site_firsts() -> list[int]:
    """Return the first rank of each site, which has that site's folder; of a run on one site, 0."""
    return _core.site_begins()


def is_site_first() -> bool:
    """Return whether this is the first rank of its site."""
    return rank() in site_firsts()


def site_speeds() -> dict[str, float]:
    """Return how fast a rank of each site is, by the site's name; empty if all are alike."""
    speeds = _core.site_speeds()
    return dict(zip(_core.site_names(), speeds, strict=True)) if speeds else {}


def set_site_speeds(speeds: Mapping[str, float]) -> None:
    """Share work by such speeds, the same on all ranks; sites that are not named are as fast as the others on average.

    Nothing happens if none is named.
    """
    names = _core.site_names()
    known = [speeds[name] for name in names if name in speeds]
    if known:
        _core.set_site_speeds([speeds.get(name, sum(known) / len(known)) for name in names])


LinkGiven = tuple[int | None, int | None, int | None, str]


def join_sites(
    ring: Sequence[str],
    name: str,
    *,
    wait: float,
    grace: float,
    speeds: Sequence[float] = (),
    links: Mapping[int, LinkGiven] | None = None,
    relays: Mapping[int, int] | None = None,
) -> None:
    """Wait for the other sites; from then on the ranks of all are those of this run.

    Parameters
    ----------
    ring : sequence of str
        HOST:PORT of each site, the same at all.
    name : str
        Which one is here: HOST, or HOST:PORT.
    wait : float
        Seconds to wait for the others.
    grace : float
        Seconds that a site may be silent before it counts as dead.
    speeds : sequence of float
        How fast a rank of each site is, compared with others; empty if alike.
    links : mapping, optional
        By the number of another site, what is given of the link to it: streams, bytes of a chunk, bytes a second, and
        HOST:PORT of a forwarder, or empty. None: found.
    relays : mapping, optional
        By the number of another site, that of a third one that passes on what goes there.

    Raises
    ------
    ValueError
        If there is no such site, or a key is not trusted.
    RuntimeError
        If a site has not come in time.
    """
    say = lambda sentence: print(sentence, file=sys.stderr)  # noqa: E731
    _core.join_sites(list(ring), name, wait, grace, list(speeds), dict(links or {}), dict(relays or {}), say)
    sys.excepthook = _end_on_error


def leave_sites() -> None:
    """End the messages between sites, which all ranks call last."""
    _core.leave_sites()


def check_launch() -> None:
    """Raise a ValueError where mpirun has started several copies of a program that cannot tell they are several."""
    started = int(os.environ.get(LAUNCHED, "1"))
    if started > 1 and ranks() == 1:
        raise _core.InputError(
            f"mpirun has started {started} processes, but each is a run of its own, since Trellis was built without MPI"
            " or with another one: start it without mpirun, or build it with this MPI"
        )


def collective(call: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Mark a function or method that all ranks call: they compare its name, with the object's class, as they enter."""
    is_method = "." in call.__qualname__.rpartition("<locals>.")[2]

    @wraps(call)
    def compared(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        meet(f"{type(args[0]).__name__}.{call.__name__}" if is_method else call.__name__)
        return call(*args, **kwargs)

    return compared


def meet(name: str) -> None:
    """Wait for all ranks to come here; a RuntimeError on all if any is in a call of another name."""
    if ranks() > 1:
        _core.world().same_call(name)


def any_rank(*flags: bool, call: str = "world.any_rank") -> tuple[bool, ...]:
    """Return, for each flag, whether any rank has it set; `call` is the name that ranks compare."""
    if ranks() == 1:
        return flags
    bits = _core.world().same_call(call, sum(bool(flag) << k for k, flag in enumerate(flags)))
    return tuple(bool(bits >> k & 1) for k in range(len(flags)))


class LateFlags:
    """Flags of all ranks, asked after each step: on one site those of now; between sites those of the step before.

    There they travel with the messages of the step, and nobody waits for them. All ranks make the same calls.

    Parameters
    ----------
    call : str
        The name that ranks compare.
    """

    def __init__(self, call: str) -> None:
        self._call = call
        self._gather = _core.DeferredGather() if len(site_firsts()) > 1 else None
        self._told = False

    def any(self, *flags: bool) -> tuple[bool, ...]:
        """Return, for each flag, whether any rank has it set."""
        if self._gather is None:
            return any_rank(*flags, call=self._call)
        heard = self._gather.heard() if self._told else [bytes(len(flags))]
        self._gather.tell(bytes(flags))
        self._told = True
        return tuple(any(of_all) for of_all in zip(*heard, strict=True))


def gather(own: Result) -> list[Result]:
    """Return the values of all ranks, in their order."""
    meet("world.gather")
    return [pickle.loads(each) for each in _core.world().all_gather(pickle.dumps(own))]


def exchange(pieces: Sequence[Result]) -> list[Result]:
    """Send each rank a value; return those that the ranks have for this one, in their order."""
    if ranks() == 1:
        return list(pieces)
    meet("world.exchange")
    return [pickle.loads(each) for each in _core.world().exchange([pickle.dumps(each) for each in pieces])]


def on_first(make: Callable[[], Result]) -> Result:
    """Do something on rank 0 alone, once all have come so far; its result, or its error, is that of all ranks."""
    if ranks() == 1:
        return make()
    meet("world.on_first")
    done: tuple[Result | None, Exception | None] = (None, None)
    if rank() == 0:
        try:
            done = (make(), None)
        except Exception as failure:
            done = (None, failure)
    result, error = pickle.loads(_core.world().broadcast(pickle.dumps(done)))
    if error is not None:
        raise error
    value: Result = result
    return value


def on_site_firsts(make: Callable[[], Result]) -> Result:
    """Do something on the first rank of each site; all ranks of a site have its result, any error is that of all."""
    if len(site_firsts()) == 1:
        return on_first(make)
    meet("world.on_site_firsts")
    done: tuple[Result | None, Exception | None] = (None, None)
    if is_site_first():
        try:
            done = (make(), None)
        except Exception as failure:
            done = (None, failure)
    of_all = gather(done)
    for _, error in of_all:
        if error is not None:
            raise error
    value: Result = of_all[max(first for first in site_firsts() if first <= rank())][0]  # type: ignore[assignment]
    return value


def wait_for_first() -> None:
    """Give the ranks before this one time to end the run, if they have failed as well."""
    time.sleep(GRACE * min(rank(), 10))


def end_together() -> None:
    """End the messages between ranks: each may then exit with a code other than 0 without failing the others."""
    if ranks() > 1:
        meet("world.end_together")
        leave_sites()
    if ranks() > 1:
        ctypes.CDLL(_core.__file__).MPI_Finalize()  # of the MPI that the module is linked with


def end_run(why: str, code: int) -> NoReturn:
    """End all ranks, with one sentence and the program's exit code; not collective."""
    wait_for_first()
    try:
        _core.world().abort(why, code)
    except _core.RunError:  # a rank alone on its site: it has told the others
        print(f"error: {why}", file=sys.__stderr__, flush=True)
        os._exit(code)


def _end_on_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Stand in for sys.excepthook: the others would wait for ever for a rank that failed."""
    if isinstance(error, (_core.InputError, _core.RunError)):
        end_run(str(error), 2 if isinstance(error, _core.InputError) else 1)
    wait_for_first()
    traceback.print_exception(kind, error, trace, file=sys.__stderr__)
    end_run("".join(traceback.format_exception_only(kind, error)).strip(), 1)


if ranks() > 1:
    sys.excepthook = _end_on_error
