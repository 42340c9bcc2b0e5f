"""Bodies of a scene that a URDF describes: what becomes of its joints and masses."""

import numpy as np
import pytest

from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_sim.scenes.scene_file import read_body, read_scene

INERTIA = 0.02
#: A door on a vertical hinge, with its centre of mass on the hinge, and a handle.
DOOR = """
<robot name="door">
  <link name="frame"/>
  <link name="leaf"><inertial><mass value="2"/>{inertia}</inertial></link>
  <link name="handle"><inertial><mass value="0.1"/>{inertia}</inertial></link>
  <joint name="hinge" type="continuous"><parent link="frame"/><child link="leaf"/>
    <axis xyz="0 0 1"/>{hinge}</joint>
  <joint name="turn" type="continuous"><parent link="leaf"/><child link="handle"/>
    <axis xyz="1 0 0"/>{turn}</joint>
</robot>
"""
DAMPING = 0.05


def described(folder, hinge='', turn='', more=''):
    """The description of a door, whose file is in a folder."""
    moment = f'<inertia ixx="{INERTIA}" iyy="{INERTIA}" izz="{INERTIA}" ixy="0" ixz="0" iyz="0"/>'
    text = DOOR.format(inertia=moment, hinge=hinge, turn=turn)
    (folder / 'door.urdf').write_text(text)
    return f'{{urdf: {{file: {folder}/door.urdf, fixed: true}}{more}}}'


def coasted(bench, spec, seconds):
    """Positions and speeds of both joints after a time, from 1 rad/s each at 0."""
    body = bench.engine.load(spec)
    bench.engine.place_joints(body, np.zeros(2), np.ones(2))
    bench.run(seconds)
    return bench.joints(body)


def test_joints_are_damped_as_the_urdf_says(start, tmp_path):
    """The door slows down as exp(−d t / I); its handle, without damping, turns on."""
    text = described(tmp_path, hinge=f'<dynamics damping="{DAMPING}"/>')
    _, speeds = coasted(start(gravity=0.0), read_body('door', text).spec, 0.5)
    # The handle, whose inertia is that of a ball, turns with the door.
    expected = np.exp(-DAMPING * 0.5 / (2.0 * INERTIA))
    assert speeds == pytest.approx([expected, 1.0], rel=5e-3)


def test_dry_friction_brings_joints_to_rest(start, tmp_path):
    """By I / F it takes 0.4 s and, from 1 rad/s, 0.2 rad; then they are held."""
    text = described(tmp_path, turn=f'<dynamics friction="{INERTIA / 0.4}"/>')
    spec = read_body('door', text).spec
    position, speed = coasted(start(gravity=0.0), spec, 0.2)
    assert (position[1], speed[1]) == pytest.approx((0.15, 0.5), abs=5e-3)
    for seconds in (0.5, 1.0):
        position, _ = coasted(start(gravity=0.0), spec, seconds)
        assert position[1] == pytest.approx(0.2, abs=5e-3)


@pytest.mark.parametrize('value', ['-0.1', 'nan', 'much'])
def test_damping_that_is_none_is_refused_with_the_joint(tmp_path, value):
    """A number, 0 or more, is expected."""
    text = described(tmp_path, hinge=f'<dynamics damping="{value}"/>')
    with pytest.raises(
        SoftshellError, match=f"joint 'hinge': damping is '{value}'; expected a nu"
    ):
        read_body('door', text)


def test_joints_that_would_mimic_others_are_told(tmp_path):
    """They move freely, as no motor couples them."""
    text = described(tmp_path, turn='<mimic joint="hinge" multiplier="2"/>')
    with pytest.warns(
        UserWarning, match="body 'door': joints that mimic others move freely.*: turn"
    ):
        read_body('door', text)


def test_a_mass_beside_a_urdf_is_refused_with_its_line(tmp_path):
    """It would be ignored, as the URDF has the masses."""
    text = described(tmp_path, more=', mass: 5.0')
    with pytest.raises(ProblemsError, match='has urdf and mass; expected no mass'):
        read_body('door', text)
    (tmp_path / 'scene.yaml').write_text(f'bodies:\n  door: {text}\n')
    with pytest.raises(ProblemsError, match=r'line 2.*has urdf and mass'):
        read_scene(tmp_path / 'scene.yaml')
