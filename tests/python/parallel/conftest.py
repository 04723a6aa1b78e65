from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from site_processes import RUN, Sites, free_ports

from trellis import _core


@pytest.fixture
def start(tmp_path: Path, keys: Path) -> Callable[[int], Sites]:
    """Make a parameter file for `count` sites; the result starts them, each in a folder of its own."""
    assert os.environ["TRELLIS_HOME"] == str(keys)

    def make(count: int) -> Sites:
        names = [f"127.0.0.1:{port}" for port in free_ports(count)]
        own = _core.fingerprint()
        for name in names:
            _core.add_key("trusted", name, own)
        file = tmp_path / "run.toml"

        def given(option: str) -> str:
            for site, name in enumerate(names):
                option = option.replace(f"SITE{site}", name)
            return option

        def sites(
            *options: str,
            of: list[int] | None = None,
            own: dict[int, list[str]] | None = None,
            text: str = RUN,
        ) -> list[subprocess.Popen[str]]:
            which = list(range(count)) if of is None else of
            ring = [names[site] for site in which]
            file.write_text(text.format(ring=", ".join(f'"{name}"' for name in ring)))
            running = []
            for site in which:
                folder = tmp_path / f"site{site}"
                folder.mkdir(exist_ok=True)
                command = [sys.executable, "-m", "trellis", "run", file, "--site", names[site], "--wait", "60s"]
                running.append(
                    subprocess.Popen(
                        [*map(str, command), *(own or {}).get(site, []), *(given(option) for option in options)],
                        cwd=folder,
                        env={**os.environ, "OMP_NUM_THREADS": "1", "NO_COLOR": "1"},
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        text=True,
                    )
                )
            return running

        return sites

    return make
