"""The equations agree with each other, with their dimensions, with counts, and with the printed numbers of (33)."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

import iwasawa_closed_form as closed_form
from trellis.model import (
    BUILT_IN,
    Coefficients,
    System,
    Work,
    force,
    interaction_list,
    many_nodes,
    methods,
    step,
    tree,
)
from trellis.model.systems import Accelerator, Host, Network

TITAN_V = BUILT_IN["titan-v"]
ONE = Work(2**22, 0.5, 230)
MANY = Work(2**20, 0.4, 250, 1000)

MODULES = (closed_form, force, interaction_list, many_nodes, methods, step, tree)
OWN = [
    function
    for module in MODULES
    for _, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__
]
TIMES = [f for f in OWN if list(inspect.signature(f).parameters) == ["work", "system"]]


def scaled(system: System, speed: float = 1.0, size: float = 1.0) -> System:
    """A system with all bandwidths and peaks, or all sizes and operations, times a factor; start-up times follow."""
    device, c = system.accelerator, system.coefficients
    sizes = {name: size * value for name, value in c.model_dump().items() if name.startswith(("b_", "n_"))}
    startup = {name: size / speed * getattr(c, name) for name in ("tau_allgather", "tau_p2p")}
    return replace(
        system,
        host=Host(B_host=speed * system.host.B_host, F_host=speed * system.host.F_host),
        optional_accelerator=Accelerator(**{name: speed * value for name, value in device.model_dump().items()}),
        network=Network(B_inj=speed * system.network.B_inj),
        coefficients=c.model_copy(update=sizes | startup),
    )


def test_every_equation_has_a_function() -> None:
    numbers = set()
    for function in OWN:
        head = (function.__doc__ or "").split(":")[0].split(",")[0]
        if head.startswith(("Equation", "Bracket")):
            first, *rest = re.findall(r"\((A?\d+)\)", head)
            numbers |= {first, *rest}
    assert numbers == {str(n) for n in range(1, 44)} | {f"A{n}" for n in range(1, 6)}


@pytest.mark.parametrize("time", TIMES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("work", [ONE, MANY], ids=["one", "many"])
def test_times_have_the_dimension_of_time(time: Callable[[Work, System], float], work: Work) -> None:
    seconds = time(work, TITAN_V)
    assert seconds >= 0
    assert time(work, scaled(TITAN_V, speed=2)) == pytest.approx(seconds / 2)
    assert time(work, scaled(TITAN_V, size=3)) == pytest.approx(3 * seconds)


@pytest.mark.parametrize(
    ("time", "bandwidths"),
    [
        (many_nodes.t_dc_collect, {"B_inj"}),
        (many_nodes.t_dc_sort, {"B_host"}),
        (many_nodes.t_LET_const, {"B_host"}),
        (many_nodes.t_LET_allgather, {"B_inj"}),
        (many_nodes.t_LET_p2p, {"B_inj"}),
        (force.t_H2D_list, {"B_transfer"}),
        (force.t_D2H_FORCE, {"B_transfer"}),
        (force.t_kernel, {"F_GPU", "B_GPU"}),
        (force.t_const_list, {"B_host"}),
        (methods.t_kernel_CPU, {"F_host"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_each_time_depends_on(time: Callable[[Work, System], float], bandwidths: set[str]) -> None:
    base, device = time(MANY, TITAN_V), TITAN_V.accelerator
    faster = {
        name: replace(TITAN_V, host=TITAN_V.host.model_copy(update={name: 2 * getattr(TITAN_V.host, name)}))
        for name in ("B_host", "F_host")
    }
    faster["B_inj"] = replace(TITAN_V, network=Network(B_inj=2 * TITAN_V.network.B_inj))
    for name in ("B_transfer", "F_GPU", "B_GPU"):
        double = device.model_copy(update={name: 2 * getattr(device, name)})
        faster[name] = replace(TITAN_V, optional_accelerator=double)
    assert {name for name, system in faster.items() if time(MANY, system) != base} == bandwidths


def test_there_are_times_to_test() -> None:
    assert len(TIMES) > 40


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("work", [ONE, MANY, Work(10_000, 1.0, 20)], ids=["one", "many", "small"])
def test_closed_forms_are_the_sums(name: str, work: Work) -> None:
    system = BUILT_IN[name]
    assert closed_form.step_const(work, system) == pytest.approx(step.t_step_const(work, system))
    assert closed_form.step_reuse(work, system) == pytest.approx(step.t_step_reuse(work, system))
    assert closed_form.step_single(work, system, 5) == pytest.approx(step.t_step_single(work, system, 5))


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("reorder", 68),
        ("moments", 58),
        ("own", 174),
        ("copy_all", 42),
        ("send_all", 16),
        ("operations", 39.1),
        ("receive", 19.2),
        ("host", 282),
        ("link", 54.4),
        ("send_EPI", 12),
        ("send_list", 3.4),
        ("host_list", 80),
    ],
)
def test_numbers_of_equation_33_follow_from_table_3(name: str, printed: float) -> None:
    assert getattr(closed_form.step_coefficients(Coefficients()), name) == pytest.approx(printed, rel=0.015)


def test_where_equation_33_is_misprinted() -> None:
    c = Coefficients()
    found = closed_form.step_coefficients(c)
    sort = c.alpha_sort * tree.SORT_ACCESSES * c.b_key
    keys = c.alpha_key * (c.b_EPJ + c.b_key)
    assert found.construction + keys == pytest.approx(1580, rel=1e-3)  # keys of own particles, counted again
    assert found.construction_LET + sort == pytest.approx(1157, rel=1e-3)  # the LETs are sorted once, not twice
    assert found.read == pytest.approx(97.2)  # 440 in print


def volume(side: float, distance: float) -> float:
    """Volume of all that is within a distance of a cube."""
    return side**3 + 6 * side**2 * distance + 3 * math.pi * side * distance**2 + 4 * math.pi / 3 * distance**3


@pytest.mark.parametrize("theta", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("n_i", [64.0, 230.0, 1500.0])
def test_list_length_is_a_count_of_shells(theta: float, n_i: float) -> None:
    levels, side = 12, n_i ** (1 / 3)
    count = volume(side, 1 / theta)
    for k in range(levels):
        count += (volume(side, 2 ** (k + 1) / theta) - volume(side, 2**k / theta)) / 8**k
    count -= 4 * math.pi / 3 / theta**3  # which the paper leaves out
    n = (side + 2.8 * 2**levels / theta) ** 3
    assert interaction_list.list_length(n, theta, n_i) == pytest.approx(count, rel=1e-3)


def test_let_length() -> None:
    assert interaction_list.let_length(1000, 0.5, 1) == 0
    few, many = (interaction_list.let_length(2**20, 0.5, p) for p in (10**5, 10**6))
    levels = 28 * math.pi / 3 / 0.5**3 * math.log2(10) / 3
    assert many - few == pytest.approx(9 * 10**5 + levels, rel=1e-3)  # one SPJ of each further process


def test_close_processes() -> None:
    assert interaction_list.close_processes(0.5) == pytest.approx(volume(1, 3) - 1)
    assert interaction_list.close_processes(0.5, 8) == 7


def test_many_processes_by_hand() -> None:
    """4096 processes of 2^18 particles: n_p^(1/4) = 8, n_p^(1/6) = 4, n_p^(2/3) = 256, n^(1/3) = 64, N^(1/3) = 1024."""
    work, system = Work(2**18, 0.5, 250, 4096), BUILT_IN["reference"]
    collect = 4 * 1.2e-5 + 30 * 256 * 0.62 * 24 / 4.8e9
    sort = 30 * 256 * math.log(30**3 * 2**20) * 7.7 * 24 / 100e9
    gather = 8 * 1.2e-5 + 4096 * 0.62 * 32 / 4.8e9
    close = 6 * 3 + 3 * math.pi * 9 + 4 * math.pi / 3 * 27
    near = 14 * 64**2 / 0.5 + 21 * math.pi * 64 / 0.25 + 28 * math.pi / (3 * 0.125) * math.log2(0.5 / 2.8 * 960)
    p2p = close * 1.0e-5 + 2 * near * 32 / 4.8e9
    lists = near * 19 * 4 / 100e9
    assert work.n_LET == pytest.approx(near + 4096 - close)
    assert many_nodes.t_dc(work, system) == pytest.approx(collect + sort)
    assert many_nodes.t_LET_exch(work, system) == pytest.approx(gather + p2p)
    assert many_nodes.t_LET_const(work, system) == pytest.approx(lists)
    mean = step.t_step_single(work, system, 8) + (collect + sort) / 4 + lists / 8 + gather + p2p
    assert many_nodes.t_step_para(work, system, n_reuse=8, n_dc=4) == pytest.approx(mean)
