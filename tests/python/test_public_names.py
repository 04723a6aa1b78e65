"""Public names: those that docs and programs use are there, each in the module that they name."""

from __future__ import annotations

import base64
import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import trellis as tr

NAMES = {
    "trellis": """
        Andersen Barostat BondedForce CosineAngles CosineDihedrals Cosmology Coulomb Csvr Energies Ensemble
        EnsembleEnergies ExchangeHistory External FENE Force Gravity HarmonicBonds IndividualSteps InputError
        Interaction Langevin LennardJones Minima Nearest Neighbours NoseHoover ParticleSet PythonForce
        ReplicaExchange RunError Selection Simulation Sph StepLimit Thermostat accelerations analysis
        angle_potential ase bond_potential config cos cosmology cross dihedral_potential dot erf erfc
        even_temperatures exact exp external geometric_temperatures grape ic info interaction io log maximum minimum
        nearest neighbours pair_potential plot quenched rank ranks rsqrt set_threads sin sqrt table tanh
        tuned_temperatures units where
    """,
    "trellis.ic": """
        cluster cosmology evrard gresho hernquist kelvin_helmholtz lennard_jones noh plummer sedov sod sphere
        two_galaxies
    """,
    "trellis.io": """
        Checkpoint Owners ReplicaTrajectories Snapshot Trajectory read_checkpoint read_owners read_snapshot
        write_checkpoint write_snapshot
    """,
    "trellis.plot": """
        acceptance blast_wave cosmology_overview density energies energy_error energy_histograms heat_capacity
        implosion lagrangian_radii mass_function movie overview owners power_spectrum problem projected_density
        replica_overview replica_walk rungs shock_tube snapshots state_histograms view virial_ratio vortex
    """,
    "trellis.analysis": """
        Acceptance HaloCatalogue HaloLinks HeatCapacity MassFunction MeanSquaredDisplacement Peak PowerSpectrum
        RadialDistribution RatioTest RoundTrips StateTransitions Trips acceptance autocorrelation_time effective_samples
        find_halos flow friends_of_friends heat_capacity heat_capacity_curve lennard_jones_tail_energy
        lennard_jones_tail_pressure link_halos mass_function mbar mbar_of_states mean_squared_displacement
        mixture_tail_energy mixture_tail_pressure potential_tail_energy potential_tail_pressure
        power_spectrum projected_density ratio_test ratio_test_of_volumes round_trips state_transitions thinned
    """,
    "trellis.exact": "Profile SOD_LEFT SOD_RIGHT State gresho noh riemann sedov",
    "trellis.units": "GADGET GIGAYEAR G_CGS KPC NBODY SOLAR_MASS Units",
    "trellis.config": """
        BarostatParameters ClusterModel ContainerParameters CosmologyModel CoulombParameters EXTERNAL EvrardModel
        ExternalParameters FIELDS GravityParameters GreshoModel HernquistModel KelvinHelmholtzModel LennardJonesModel
        LennardJonesParameters MODELS ModelParameters NohModel Parameters PlummerModel ReplicaExchangeParameters
        RunFile RunParameters SedovModel SnapshotParameters SodModel SphParameters SphereModel THERMOSTATS
        ThermostatParameters TwoGalaxiesModel checked document load read_toml
    """,
    "trellis.cosmology": "FITS LinearPower halo_abundance",
    "trellis.external": """
        HarmonicTrap LogarithmicHalo MeanDensity MiyamotoNagai NFW Plummer PointMass RotatingBar UniformField
    """,
    "trellis.grape": """
        G3_GRAVITY G3_GRAVITY_AND_NEIGHBORS G3_NEIGHBORS g3docalculation g3docalculationpara g3frc g3getgravity
        g3getgravityasync g3getneighbor g3getneighborasync g3setdata g3seteps2 g3seth2all g3setm g3setmass g3setn
        g3setscales g3setxj g5_calculate_force_on_x g5_close g5_get_force g5_get_jmemsize g5_get_number_of_pipelines
        g5_open g5_run g5_set_eps_to_all g5_set_n g5_set_range g5_set_xi g5_set_xmj
    """,
    "trellis.model": "BUILT_IN Coefficients System Work find_system symbols",
    "trellis.model.remote": "BUILT_IN CASES Case RemoteMachine find_remote_machine seconds_of symbols",
    "trellis.model.replicas": """
        BUILT_IN Exchange ReplicaMachine calibrated find_replica_machine pipelined_parts seconds_of_parts symbols
    """,
    "trellis.model.sites": """
        BUILT_IN Run SiteMachine SiteStep find_site_machine memory_of our_parts paper_parts predicted_step
        step_over_sites symbols
    """,
}

# A set of two particles as it was pickled before the package had rooms: base64 of protocol 4.
PICKLED = """
gASVlQQAAAAAAACMEXRyZWxsaXMucGFydGljbGVzlIwLUGFydGljbGVTZXSUk5RLAoWUUpSMD3RyZWxsaXMuY29sdW1uc5SMB0NvbHVtbnOUk5Qp
gZR9lCiMA2JveJSMFm51bXB5Ll9jb3JlLm11bHRpYXJyYXmUjAxfcmVjb25zdHJ1Y3SUk5SMBW51bXB5lIwHbmRhcnJheZSTlEsAhZRDAWKUh5RS
lChLAUsCSwOGlGgOjAVkdHlwZZSTlIwCZjiUiYiHlFKUKEsDjAE8lE5OTkr/////Sv////9LAHSUYolDMAAAAAAAAPD/AAAAAAAA8P8AAAAAAADw
/wAAAAAAAPB/AAAAAAAA8H8AAAAAAADwf5R0lGKMBmZpZWxkc5RdlChoBYwLRGVjbGFyYXRpb26Uk5QpgZR9lCiMBG5hbWWUjAhwb3NpdGlvbpSM
CmNvbXBvbmVudHOUSwOMBHVuaXSUjAZsZW5ndGiUjAdtZWFuaW5nlIwIcG9zaXRpb26UdWJoDWgQSwCFlGgSh5RSlChLAUsCSwOGlGgaiUMwAAAA
AAAA8D8AAAAAAAAAQAAAAAAAAAhAAAAAAAAAEEAAAAAAAAAUQAAAAAAAABhAlHSUYoaUaCIpgZR9lChoJYwIdmVsb2NpdHmUaCdLA2gojA1sZW5n
dGggLyB0aW1llGgqjAh2ZWxvY2l0eZR1YmgNaBBLAIWUaBKHlFKUKEsBSwJLA4aUaBqJQzAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAACUdJRihpRoIimBlH2UKGgljARtYXNzlGgnSwFoKIwEbWFzc5RoKowEbWFzc5R1YmgNaBBLAIWUaBKHlFKUKEsBSwKF
lGgaiUMQAAAAAAAA8D8AAAAAAAAAQJR0lGKGlGgiKYGUfZQoaCWMAmlklGgnSwFoKIwAlGgqjDlpZGVudGl0eTogc3RheXMgd2l0aCB0aGUgcGFy
dGljbGUgd2hlbiByb3dzIGFyZSByZW9yZGVyZWSUdWJoDWgQSwCFlGgSh5RSlChLAUsChZRoF4wCdTiUiYiHlFKUKEsDaBtOTk5K/////0r/////
SwB0lGKJQxAAAAAAAAAAAAEAAAAAAAAAlHSUYoaUaCIpgZR9lChoJYwMYWNjZWxlcmF0aW9ulGgnSwNoKIwPbGVuZ3RoIC8gdGltZV4ylGgqjCFh
Y2NlbGVyYXRpb24sIGFsbCBmb3JjZXMgdG9nZXRoZXKUdWJoDWgQSwCFlGgSh5RSlChLAUsCSwOGlGgaiUMwAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlHSUYoaUaCIpgZR9lChoJYwJcG90ZW50aWFslGgnSwFoKIwRbGVuZ3RoXjIgLyB0aW1lXjKUaCqM
I3BvdGVudGlhbCwgYWxsIHBhaXIgZm9yY2VzIHRvZ2V0aGVylHViaA1oEEsAhZRoEoeUUpQoSwFLAoWUaBqJQxAAAAAAAAAAAAAAAAAAAAAAlHSU
YoaUZXViYi4=
"""


@pytest.mark.parametrize("module", NAMES)
def test_a_public_module_has_its_names(module: str) -> None:
    found = importlib.import_module(module)
    assert [name for name in NAMES[module].split() if not hasattr(found, name)] == []


def test_the_package_names_no_others() -> None:
    assert sorted(tr.__all__) == dir(tr) == sorted(NAMES["trellis"].split())


@pytest.mark.parametrize("module", NAMES)
def test_completion_offers_the_public_names_alone(module: str) -> None:
    assert dir(importlib.import_module(module)) == sorted(NAMES[module].split())


def test_ranks_exchange_values_through_the_world() -> None:
    assert tr.world.gather(3) == [3]


def test_pickles_of_earlier_versions_are_read() -> None:
    read = pickle.loads(base64.b64decode(PICKLED))
    assert type(read) is tr.ParticleSet
    np.testing.assert_array_equal(read.position, [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(read.mass, [1, 2])


def test_modules_that_take_long_to_import_are_imported_when_they_are_used() -> None:
    program = """
import sys
import trellis as tr
assert not {"pydantic", "matplotlib", "trellis.config", "trellis.plot"} & set(sys.modules)
assert tr.config.load and "pydantic" in sys.modules
assert tr.ic is sys.modules["trellis.ic"]
from trellis import analysis
assert not hasattr(tr, "plots")
tr.plots
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "AttributeError: module 'trellis' has no attribute 'plots'. Did you mean: 'plot'?" in done.stderr
