"""Kills servers and clients of remote devices at random moments, and demands that nothing is lost.

    python tests/faults/remote_kills.py --count 1000 --seed 1

A case is a run whose device a server lends, with a spare or without, some kills of the run, of the server, or of both,
and resumes until it is complete: then it has the bits of the run that nothing disturbed. A case that fails is printed
with its seed, which `--count 1 --seed ...` repeats.
"""

from __future__ import annotations

import argparse
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import oracle
from disturbed_run import PATIENCE, DisturbedRun, Process, unbroken
from faults import end_by_kill, moment

KIND = "gravity"
WITHOUT_SPARE, WITH_SPARE = "", 'spares = ["cpu"]\n'


class Server:
    """A server of this processor, on a Unix socket; one that was killed is started again when it is needed."""

    def __init__(self, place: Path) -> None:
        self.socket = place / "socket"
        self._process: subprocess.Popen[bytes] | None = None

    def be_there(self) -> None:
        """Return once clients may come."""
        if self._process is None:
            started = [sys.executable, "-m", "trellis", "serve", "--unix", str(self.socket), "--device", "cpu"]
            self._process = subprocess.Popen(started, stderr=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while not self._listens():
            assert time.monotonic() < end, "the server does not begin"
            time.sleep(0.01)

    def kill(self) -> None:
        """SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0


class RemoteKills:
    """Cases in a folder, which share a server and the runs that nothing disturbs."""

    def __init__(self, place: Path) -> None:
        place.mkdir(exist_ok=True)
        self._place, self.server = place, Server(place)
        self._device = f'device = "unix:{self.server.socket}/cpu"\n'
        self._reference = cache(self._unbroken)

    def _unbroken(self, spare: str) -> Path:
        self.server.be_there()
        return unbroken(self._place / f"unbroken-{len(spare)}", KIND, 1, self._device + spare)

    def failure(self, seed: int, most_kills: int = 4) -> tuple[int, str]:
        """Do a case; return its number of kills, and its story if something is wrong."""
        draw = random.Random(seed)
        spare = draw.choice((WITHOUT_SPARE, WITHOUT_SPARE, WITH_SPARE))
        place, reference = self._place / f"case-{seed}", self._reference(spare)
        run = DisturbedRun(place, KIND, 1, 0.0, reference, draw, more=self._device + spare)
        kills = draw.randint(1, most_kills)
        try:
            for _ in range(kills):
                self._kill(run, spare)
            run.story.append("to the end:")
            self.server.be_there()
            oracle.check_process(run, run.start().ended(), 0)
        except Exception as error:
            return kills, "\n".join(
                [f"seed {seed}, {spare or 'no spare'}", *run.story, f"{type(error).__name__}: {error}"]
            )
        finally:
            run.end_all()
        shutil.rmtree(place)
        return kills, ""

    def _kill(self, run: DisturbedRun, spare: str) -> None:
        self.server.be_there()
        process = run.start()
        kind = moment(run, process, "start-up", "step", "step", "step", "checkpoint", "snapshot")
        victim = run.draw.choice(("run", "server", "both"))
        run.story.append(f"  the {victim} is killed")
        if victim != "run":
            self.server.kill()
        if victim == "server":
            starting = kind == "start-up"
            self._check_alone(
                run, process, starting=starting, may_end=starting or (kind != "" and spare == WITHOUT_SPARE)
            )
        else:
            end_by_kill(run, process)

    def _check_alone(self, run: DisturbedRun, process: Process, *, starting: bool, may_end: bool) -> None:
        """Without its server a run goes on with a spare; one without, or that never had it, ends with a sentence."""
        ended = process.ended()
        oracle.check_process(run, ended, *((0, 1) if may_end else (0,)))
        if ended.code == 1:
            handshake = ("does not answer",) if starting else ()  # the server was killed in the middle of it
            sentences = ("is lost", "no server listens", *handshake)
            assert any(sentence in ended.errors for sentence in sentences), ended.errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="kills, at least")
    parser.add_argument("--seed", type=int, default=1, help="of the first case; those of the others follow")
    chosen = parser.parse_args()
    killed = failed = cases = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        remote = RemoteKills(Path(place))
        try:
            while killed < chosen.count:
                kills, failure = remote.failure(chosen.seed + cases, min(4, chosen.count - killed))
                killed, cases, failed = killed + kills, cases + 1, failed + (failure != "")
                print(failure or f"seed {chosen.seed + cases - 1}: {kills} kills, nothing is lost", flush=True)
        finally:
            remote.server.kill()
    print(f"{killed} kills in {cases} cases, {failed} failed, in {time.monotonic() - began:.0f} s")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
