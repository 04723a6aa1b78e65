from __future__ import annotations

import inspect
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trellis import config, ic, units
from trellis.config import GravityParameters, load
from trellis.errors import InputError

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("run.untl=3", "unknown key 'run.untl': did you mean 'run.until'?"),
        (
            "zzz=3",
            "unknown key 'zzz': known are initial_conditions, ic, units, cosmology, gravity, lennard_jones, sph,",
        ),
        ("gravty.theta=0.5", "unknown key 'gravty': did you mean 'gravity'?"),
        ("gravity.softening=-1", "'gravity.softening' is -1, but must be at least 0"),
        ("gravity.softening=nan", "'gravity.softening' is nan, but must be a finite number"),
        ("gravity.softening=soft", "'gravity.softening' is 'soft', but must be a number"),
        ("gravity.accuracy=1", "'gravity.accuracy' is 1, but must be below 1"),
        ("gravity.method=tre", "'gravity.method' is 'tre', but must be 'tree', 'fmm' or 'treepm'"),
        ("gravity.theta=0.5", "'gravity' has both an accuracy and a theta"),
        ("gravity=3", "'gravity' is 3, but must be a section, [gravity]"),
        ("sph.kernel=m4", "'sph.kernel' is 'm4', but must be 'cubic-spline', 'wendland-c2' or 'wendland-c4'"),
        ("sph.types=[]", "'sph.types' is [], but must be a list of at least one"),
        (
            "replica_exchange.temperatures=[0.3]",
            "'replica_exchange.temperatures' is [0.3], but must be a list of at least 2",
        ),
        ("sph.types=0", "'sph.types' is 0, but must be a list"),
        ("sph.types=[0.5]", "'sph.types.0' is 0.5, but must be a whole number"),
        ("gravity.device=3", "'gravity.device' is 3, but must be text in quotes, or a list of such texts"),
        ("run.device=[]", "'run.device' is [], but must be text of at least one letter, or a list of such texts"),
        ("run.spares=cpu", "'run.spares' is 'cpu', but must be a list"),
        ("sph.gamma=1", "'sph.gamma' is 1, but must be above 1"),
        ("lennard_jones.cutoff=0", "'lennard_jones.cutoff' is 0, but must be above 0"),
        ("thermostat.temperature=1", "'thermostat.method' is missing: known are langevin, nose-hoover, csvr, andersen"),
        (
            "thermostat.method=berendsen",
            "'thermostat.method' is 'berendsen': known are langevin, nose-hoover, csvr, andersen",
        ),
        ("thermostat.method=langevin", "missing are 'thermostat.temperature' (temperature, as an energy k T) and"),
        ("thermostat=1", "'thermostat' is 1, but must be a section, [thermostat]"),
        ("ic.particles=1e5", "'ic.particles' is 100000.0, but must be a whole number"),
        ("ic.particles=true", "'ic.particles' is True, but must be a whole number"),
        ("ic.particles=0", "'ic.particles' is 0, but must be at least 1"),
        ("ic.model=plumer", "'ic.model' is 'plumer': did you mean 'plummer'?"),
        ("ic.model=[]", "'ic.model' is []: known are plummer, sphere"),
        ("ic=3", "'ic' is 3, but must be a section, [ic]"),
        ("external=3", "'external' must be one or several tables, [[external]]"),
        ("run.until_redshift=3", "'run.until_redshift' is given, but without [cosmology] space does not expand"),
        ("sites.speeds=[0.5, 'x']", "'sites.ring' is missing: "),
        ("ic.cut_radius=3", "unknown key 'ic.cut_radius': known are"),
        ("run.output=3", "'run.output' is 3, but must be text in quotes"),
        ('run.output=""', "'run.output' is '', but must be text of at least one letter"),
        ("run.timestep=0", "'run.timestep' is 0, but must be above 0"),
        ("run.timestep=1e-17", "'run' has timestep = 1e-17, but must have at least 1.8e-16: less is lost"),
        ('run.output="a\\u0000b"', "has a null character"),
        ("run.timestep=0.2", "'run' has snapshot_every = 0.1, but must have at least timestep = 0.2"),
        (
            "run.resident=true",
            "'run.resident' is true, but the device is host: particles stay on cpu, cuda:0, ...",
        ),
        ("initial_conditions=x.hdf5", "both of 'initial_conditions' and [ic] given"),
    ],
)
def test_a_wrong_value_is_one_sentence_with_file_and_key(parameter_file: Path, change: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        load(parameter_file, [change])
    assert str(error.value).startswith(f"{parameter_file}: ")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_whole_number_is_a_softening(parameter_file: Path, recwarn: pytest.WarningsRecorder) -> None:
    file = load(parameter_file, ["gravity.softening=1"])
    assert "softening = 1\n" in file.to_toml()
    assert not recwarn.list


def test_a_change_is_one_line(parameter_file: Path) -> None:
    with pytest.raises(InputError, match=r"^--set run.until: must be one line$"):
        load(parameter_file, ["run.until=1\nrun.timestep=3"])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("run.until.x=3", "--set run.until.x=3: 'run.until' is not a section"),
        ("external.0.mass=3", "--set external.0.mass=3: there is no external.0: the tables"),
        ("run..until=3", "unknown key 'run.': did you mean 'run.until'?"),
    ],
)
def test_a_change_of_no_section(parameter_file: Path, change: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        load(parameter_file, [change])
    assert sentence in str(error.value)


@pytest.mark.parametrize("change", ["", "run.until", "=3"])
def test_a_change_without_key_or_value(parameter_file: Path, change: str) -> None:
    with pytest.raises(InputError, match=r"must be section.key=value"):
        load(parameter_file, [change])


def refused(path: Path, content: str) -> str:
    """Return the sentence about a file of this content, without the file's name."""
    path.write_text(content)
    with pytest.raises(InputError) as error:
        load(path)
    return str(error.value).removeprefix(f"{path}: ")


def test_a_missing_key_is_named_with_its_meaning(tmp_path: Path) -> None:
    path, run = tmp_path / "a.toml", "[run]\nuntil = 1\ntimestep = 0.1\nsnapshot_every = 1\n"
    assert refused(path, f'[ic]\nmodel = "plummer"\n{run}').startswith("'run.output' is missing: folder for everything")
    run += 'output = "a"\n'
    assert refused(path, f"[ic]\n{run}").startswith("'ic.model' is missing: known are plummer, sphere")
    assert refused(path, run).startswith("neither of 'initial_conditions' and [ic] given")


RUN_LACKS = (
    "'run.until' (time at which the run ends), 'run.output' (folder for everything that the run writes), "
    "%s'run.timestep' (only [sph] and [gravity] with a softening do without) and one of snapshot_every, snapshot_times,"
    " snapshot_steps, snapshots_per_decade in [run] (when snapshots are written)"
)
STEPS = "'run.timestep' (only [sph] and [gravity] with a softening do without) and one of snapshot_every,"
SNAPSHOTS = "and one of snapshot_every, snapshot_times,"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "missing are " + RUN_LACKS % "one of 'initial_conditions' and [ic] (what a run starts from), "),
        ('[ic]\nmodel = "plummer"\n', "missing are " + RUN_LACKS % ""),
        ('[ic]\nmodel = "plummer"\n[run]\nuntil = 1\noutput = "a"\n', f"missing are {STEPS}"),
        ('[ic]\nmodel = "plummer"\n[run]\n[gravity]\nsoftening = 0.1', "missing are 'run.until' (time at"),
        ('[[external]]\nmodel = "nfw"\n', "missing are 'external.0.mass' (M = 4 pi"),
        ('[[external]]\nmodel = "nfw"\n', "'external.0.scale_radius' (scale radius r_s), 'run.until'"),
        ('[ic]\nparticles = 9\n[thermostat]\nmethod = "csvr"\n', "missing are 'ic.model' (known are plummer"),
        ('[ic]\nparticles = 9\n[thermostat]\nmethod = "csvr"\n', "'thermostat.temperature' (temperature, as an"),
        ('[ic]\nmodel = "sod"\n[sph]\n', f"(folder for everything that the run writes) {SNAPSHOTS}"),
        ('[ic]\nmodel = "plummer"\n[steps]\n', f"(folder for everything that the run writes) {SNAPSHOTS}"),
    ],
)
def test_all_keys_that_are_missing_are_one_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    assert sentence in refused(tmp_path / "a.toml", content)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            '[ic]\nparticles = 0\nmodel = "plummer"\n[thermostat]\nmethod = "csvr"\n',
            "'ic.particles' is 0, but must be at least 1; missing are 'thermostat.temperature' (temperature, as an",
        ),
        (
            '[ic]\nmodel = "plummer"\n[[external]]\nmodel = "nfw"\nmass = 1\n[run]\ntimestep = -1\n',
            "'run.timestep' is -1, but must be above 0.0; missing are 'external.0.scale_radius' (scale radius r_s), ",
        ),
        ('[ic]\nmodel = "plummer"\nparticle = 3\n', "unknown key 'ic.particle': did you mean 'ic.particles'?"),
    ],
)
def test_a_wrong_value_is_named_with_the_keys_that_are_missing(tmp_path: Path, content: str, sentence: str) -> None:
    """A wrong value was named alone, or hidden by missing keys: each run of the program found one more."""
    path = tmp_path / "run.toml"
    assert sentence in refused(path, content)


def test_a_softening_in_any_form_needs_no_timestep(tmp_path: Path) -> None:
    for softening, lacks in (("0", True), ("{ halo = 0 }", True), ("0.1", False), ("{ halo = '1 pc' }", False)):
        content = f'[ic]\nmodel = "plummer"\n[gravity]\nsoftening = {softening}\n'
        assert ("'run.timestep'" in refused(tmp_path / "a.toml", content)) == lacks


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file '.*nowhere.toml'"):
        load(tmp_path / "nowhere.toml")
    with pytest.raises(InputError, match=r"cannot read .*: is a directory"):
        load(tmp_path)
    path = tmp_path / "a.toml"
    path.write_text("[ic\n")
    with pytest.raises(InputError, match=r"'.*a.toml' is not a TOML file: .*line 1"):
        load(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not a TOML file"):
        load(path)


def test_changes_reach_their_parameters(parameter_file: Path) -> None:
    file = load(parameter_file, ["ic.particles=4_194_304", "run.output=elsewhere", "gravity.G=2", "run.until=5"])
    assert file.ic is not None
    assert file.ic.particles == 4_194_304
    assert file.gravity is not None
    assert (file.run.output, file.gravity.G, file.run.until) == ("elsewhere", 2.0, 5.0)


def test_a_path_starts_at_its_file_or_where_it_was_typed(
    tmp_path: Path, parameter_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, rest = parameter_file.read_text().partition("[gravity]")
    parameter_file.write_text(f'initial_conditions = "halo.hdf5"\n[gravity]{rest}')
    assert load(parameter_file).initial_conditions == tmp_path / "halo.hdf5"
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert load(parameter_file, ["initial_conditions=x.hdf5"]).initial_conditions == tmp_path / "here" / "x.hdf5"


@settings(deadline=None)  # a busy machine takes its time
@given(
    particles=st.integers(1, 2**32 - 2),
    until=st.floats(-1e15, 1e15),  # to which half a unit may be added
    output=st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1),
    theta=st.none() | st.floats(0, 1e300, exclude_min=True),
)
def test_parameters_survive_being_written_and_read(
    tmp_path_factory: pytest.TempPathFactory, particles: int, until: float, output: str, theta: float | None
) -> None:
    path = tmp_path_factory.mktemp("toml") / "a.toml"
    gravity = GravityParameters() if theta is None else GravityParameters(theta=theta)
    halo = config.EXTERNAL["nfw"](model="nfw", mass=1.0, scale_radius=theta or 1.0)
    others: dict[str, Any] = {}
    if theta is not None:
        others = {
            "lennard_jones": config.LennardJonesParameters(truncation="force-shifted"),
            "sph": config.SphParameters(neighbours=50 + theta, viscosity="constant"),
            "coulomb": config.CoulombParameters(coupling=-theta, mesh_cutoff=7.5),
            "external": [halo, config.EXTERNAL["uniform"](model="uniform", acceleration=[0.0, until, 1e-9])],
            "thermostat": config.THERMOSTATS["langevin"](temperature=1.0, relaxation_time=theta),
        }
    file = config.RunFile(
        ic=config.PlummerModel(particles=particles),
        gravity=gravity if theta is None or theta < 1 else None,
        run=config.RunParameters(until=until, timestep=0.5, output=output, snapshot_every=1.0),
        **others,
    )
    path.write_text(file.to_toml(), encoding="utf-8")
    assert load(path) == file


def test_a_file_travels_between_ranks(parameter_file: Path) -> None:
    with parameter_file.open("a") as more:
        more.write('[[external]]\nmodel = "nfw"\nmass = 1.0\nscale_radius = 2.0\n')
        more.write('[[external]]\nmodel = "uniform"\nacceleration = [0.0, 0.0, 1.0]\n')
    file = load(parameter_file)
    assert pickle.loads(pickle.dumps(file)) == file


def test_a_quoted_key_may_have_dots(parameter_file: Path) -> None:
    file = load(parameter_file, ['sites.ring=["a.net:1", "b.net:1"]', 'sites.link."a.net:1-b.net:1".streams=4'])
    assert file.sites is not None
    assert file.sites.link["a.net:1-b.net:1"].streams == 4


def test_functions_take_what_the_parameters_describe() -> None:
    for name, model in config.MODELS.items():
        taken = inspect.signature(getattr(ic, name.replace("-", "_"))).parameters
        described = {key: field.default for key, field in model.model_fields.items() if key != "model"}
        if name == "cosmology":  # what [cosmology] and [units] say
            described |= {"cosmology": inspect.Parameter.empty, "units": units.GADGET}
        assert {key: taken[key].default for key in taken} == described


def test_forces_are_those_that_have_a_section(parameter_file: Path) -> None:
    with_gravity = parameter_file.read_text()
    above, _, rest = with_gravity.partition("[gravity]")
    run = rest[rest.index("[run]") :]

    def forces(text: str) -> tuple[bool, bool, bool]:
        parameter_file.write_text(text)
        file = load(parameter_file)
        return file.gravity is not None, file.lennard_jones is not None, file.sph is not None

    assert forces(with_gravity) == (True, False, False)
    assert forces(above + run) == (True, False, False)
    assert forces(f"{above}[lennard_jones]\n{run}") == (False, True, False)
    assert forces(f"{above}[sph]\n{run}") == (False, False, True)
    assert forces(f"{with_gravity}[lennard_jones]\n[sph]\n") == (True, True, True)


def test_a_gas_is_the_one_that_the_model_makes(tmp_path: Path) -> None:
    path = tmp_path / "tube.toml"
    path.write_text((ROOT / "examples" / "sod.toml").read_text())
    for change, sentence in {
        "ic.gamma=1.4": "'sph.gamma' is 1.6666666666666667, but must be 'ic.gamma', which is 1.4",
        "sph.dimensions=2": "'sph.dimensions' is 2, but must be 'ic.dimensions', which is 3",
    }.items():
        with pytest.raises(InputError, match=sentence):
            load(path, [change])
    assert load(path, ["ic.gamma=1.4", "sph.gamma=1.4"]).sph is not None


def test_the_list_of_parameters_is_current() -> None:
    assert (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8") == config.document(), (
        "run: trellis parameters > docs/parameters.md"
    )


@pytest.mark.parametrize("name", ["cold_collapse", "halo"])
def test_examples_are_parameter_files(name: str) -> None:
    load(ROOT / "examples" / f"{name}.toml")


def test_the_home_folder_in_paths(parameter_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = parameter_file.parent
    monkeypatch.setenv("HOME", str(home))
    named = Path("~") / parameter_file.name
    assert load(named, ["run.output=~/elsewhere"]).run.output == str(home / "elsewhere")
    assert load(named, ["run.output=~no-user-of-this-name/x"]).run.output == "~no-user-of-this-name/x"
    _, _, rest = parameter_file.read_text().partition("[gravity]")
    parameter_file.write_text(f'initial_conditions = "~/halo.hdf5"\n[gravity]{rest}')
    assert load(parameter_file).initial_conditions == home / "halo.hdf5"
    assert load(parameter_file, ["initial_conditions=~/x.hdf5"]).initial_conditions == home / "x.hdf5"


def test_a_path_that_the_locale_cannot_name(parameter_file: Path) -> None:
    program = "import sys; from pathlib import Path; from trellis.config import load; load(Path(sys.argv[1]))"
    parameter_file.write_text(parameter_file.read_text().replace('/out"', '/\u00fc"'), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", program, parameter_file],
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "'run.output' has letters that names of files cannot have here, in ascii" in done.stderr


def test_a_byte_order_mark(parameter_file: Path) -> None:
    plain = load(parameter_file)
    parameter_file.write_bytes(b"\xef\xbb\xbf" + parameter_file.read_bytes())
    assert load(parameter_file) == plain


DEEP = 20_000


@pytest.mark.parametrize("value", ["[" * DEEP + "]" * DEEP, "1\n[run" + ".run" * DEEP + "]"], ids=["list", "section"])
def test_values_too_deep(tmp_path: Path, parameter_file: Path, value: str) -> None:
    (tmp_path / "deep.toml").write_text(f"x = {value}\n")
    with pytest.raises(InputError, match=r"^'.*deep.toml' has values within values, too deep to be read$"):
        load(tmp_path / "deep.toml")
    with pytest.raises(InputError, match=r"^--set run.until: has values within values, too deep"):
        load(parameter_file, [f"run.until={'[' * DEEP}"])
