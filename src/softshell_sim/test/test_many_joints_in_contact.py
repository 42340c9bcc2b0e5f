"""Worlds of many joints in MuJoCo, whose solver goes another way from 60 degrees of freedom on."""

import mujoco
import numpy as np
import pytest

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Plane

#: Of arms of a star, links of each, and stars.
ARMS, LINKS, STARS = 12, 2, 4
NAMES = [(arm, link) for arm in range(ARMS) for link in range(LINKS)]


def star():
    """A URDF of a ball with arms round it, which bend up and down and sideways."""
    inertial = '<inertial><origin xyz="{} 0 0"/><mass value="{}"/><inertia ixx="{i}" iyy="{i}" '
    inertial += 'izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>'
    shape = '<collision><origin xyz="{} 0 0"/><geometry><sphere radius="{}"/></geometry>'
    shape += '</collision>'
    hub = inertial.format(0, 0.3, i=1e-4) + shape.format(0, 0.03)
    link = inertial.format(0.03, 0.02, i=1e-5) + shape.format(0.03, 0.012)
    parts = [f'<link name="hub">{hub}</link>']
    for arm, number in NAMES:
        parent = f'{arm}/{number - 1}' if number else 'hub'
        yaw, x = (0.0, 0.06) if number else (2.0 * np.pi * arm / ARMS, 0.0)
        axis = '0 0 1' if number % 2 else '0 1 0'
        parts.append(
            f'<link name="{arm}/{number}">{link}</link>'
            f'<joint name="joint {arm}/{number}" type="continuous"><parent link="{parent}"/>'
            f'<child link="{arm}/{number}"/><origin xyz="{x} 0 0" rpy="0 0 {yaw}"/>'
            f'<axis xyz="{axis}"/></joint>'
        )
    return f'<robot name="star">{"".join(parts)}</robot>'


def unaccounted(data):
    """The largest part of M q̈ that no force of a step accounts for, by the largest force."""
    model = data.model
    inertial = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, inertial, data.qacc)
    left = inertial - data.qfrc_smooth - data.qfrc_constraint
    return np.abs(left).max() / max(np.abs(data.qfrc_constraint).max(), 1e-3)


@pytest.mark.parametrize(
    'seed', [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))]
)
def test_a_heap_accelerates_by_its_forces(seed):
    """Newton's second law in each step, while stars fall onto each other and their arms tangle."""
    engine = make_engine('mujoco', EngineSettings(0.001, 9.81, window=False))
    rng = np.random.default_rng(seed)
    engine.add(ObjectSpec('floor', Plane(), surface=Surface(0.8)))
    joints = tuple(f'joint {arm}/{number}' for arm, number in NAMES)
    for k in range(STARS):
        spec = RobotSpec(f'star {k}', star(), joints, self_collision=True, surface=Surface(0.8))
        body = engine.load(spec)
        at = shift(*rng.normal(0.0, 0.03, 2), 0.1 + 0.1 * k)
        engine.place(body, BodyState.at_rest(at))
        engine.place_joints(body, rng.normal(0.0, 0.4, len(joints)))
    left = []
    for _ in range(600):
        engine.step()
        left.append(unaccounted(engine.data))
    touching = engine.data.ncon
    engine.close()
    assert touching > 20
    assert max(left) < 0.03
