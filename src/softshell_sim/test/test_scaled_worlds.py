"""A finger in a scaled world is the same finger, once its numbers are read in SI."""

import numpy as np
import pytest

from softshell_continuum.elastic_chain import chain_of
from softshell_continuum.files import from_data
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.parts import parts_of_manipulator
from softshell_continuum.scaling import WorldScale
from softshell_continuum.statics import Statics
from softshell_kinematics.transforms import rotation_about, transform
from softshell_sim.soft.body import SoftBody

LENGTH, JOINTS, STIFFNESS, MASS, WIDTH = 0.1, 5, 0.2, 0.002, 0.02
GRAVITY = 9.81
SCALES = [
    *(pytest.param(WorldScale(by), marks=pytest.mark.long) for by in (1.0, 20.0)),
    WorldScale(20.0, 5.0),
]
#: Level, along x.
LEVEL = transform(rotation_about((0.0, 1.0, 0.0), 0.5 * np.pi))


def finger(damping):
    """A finger in SI; damping by stiffness [s]."""
    height = LENGTH / JOINTS
    link = {'shape': 'box', 'dimensions': [WIDTH, WIDTH, height], 'mass': MASS}
    joint = {'axis': [1.0, 0.0, 0.0], 'stiffness': STIFFNESS, 'damping': damping * STIFFNESS}
    side = {**joint, 'axis': [0.0, 1.0, 0.0]}
    actuator = {
        'length': LENGTH, 'n_segments': JOINTS, 'link': link, 'joints': [joint, side],
        'arrangement': 'together',
    }  # fmt: skip
    return from_data(ManipulatorForm, {'name': 'finger', 'actuators': [actuator]})


def swayed(start, scale, damping, force, gravity, time_step, seconds):
    """(steps, 3) tip of a level finger at each step in SI, with a (3,) force on it [N].

    The world and what is done in it are scaled.
    """
    bench = start(scale.to_world('gravity', gravity), time_step)
    soft = SoftBody(bench.engine, scale.form_to_world(finger(damping)), LEVEL)
    push = scale.to_world('force', np.array(force))
    found = []
    for _ in range(round(seconds / time_step)):
        tip = soft.tip('finger')[:3, 3]
        found.append(scale.to_si('length', tip))
        bench.engine.apply_wrench(soft.body, len(soft.body.links) - 1, push, np.zeros(3), tip)
        soft.apply()
        bench.engine.step()
    return np.array(found)


def first_frequency():
    """Of the straight finger [rad/s], of its links as rigid bodies: det(K - ω² M) = 0."""
    joints = LENGTH / JOINTS * (np.arange(JOINTS) + 0.5)
    ends = np.append(joints[1:], LENGTH)
    masses = MASS * (ends - joints) * JOINTS / LENGTH
    arms = np.maximum(0.5 * (joints + ends)[:, None] - joints, 0.0)
    spins = masses * ((ends - joints) ** 2 + WIDTH**2) / 12.0
    mass = arms.T @ (masses[:, None] * arms) + (arms > 0).T @ (spins[:, None] * (arms > 0))
    return float(np.sqrt(STIFFNESS * np.linalg.eigvals(np.linalg.inv(mass)).real.min()))


@pytest.mark.parametrize('scale', SCALES, ids=str)
def test_a_loaded_finger_comes_to_rest_where_statics_in_si_say(start, scale):
    """Under its weight and a force across it; within half a percent of the way."""
    force = [0.0, 0.2, -0.1]
    found = swayed(start, scale, 0.05, force, GRAVITY, 0.001, 1.5)[-1]
    chain = chain_of(parts_of_manipulator(finger(0.05)))
    rest = Statics(chain, gravity=(0.0, 0.0, -GRAVITY), base=LEVEL).solve(tip_force=force)
    assert np.linalg.norm(rest.tip[1:]) > 0.01
    assert found == pytest.approx(rest.tip, abs=5e-3 * float(np.linalg.norm(rest.tip[1:])))


@pytest.mark.parametrize('scale', SCALES, ids=str)
def test_it_swings_at_the_frequency_that_it_has_in_si(start, scale):
    """After a force sets in, without damping; of its first mode, within a percent."""
    way = swayed(start, scale, 0.0, [0.0, 0.02, 0.0], 0.0, 1e-4, 0.5)[:, 1]
    sides = np.sign(way - way.mean())
    crossings = np.flatnonzero((sides[1:] > 0) & (sides[:-1] <= 0)) * 1e-4
    assert len(crossings) > 4
    found = 2.0 * np.pi / np.diff(crossings).mean()
    assert found == pytest.approx(first_frequency(), rel=0.01)
