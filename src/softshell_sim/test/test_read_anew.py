"""What an engine reads from files is read anew each time, and not kept."""

import gc
import resource
from pathlib import Path

import numpy as np
import pytest
import trimesh

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec, RobotSpec
from softshell_sim.shapes import Sphere

#: A body that a mesh gives its shape.
MESHED = """
<robot name="meshed"><link name="meshed"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><mesh filename="{path}"/></geometry></collision></link></robot>
"""


def resident():
    """Memory that this process holds [bytes]."""
    gc.collect()
    return int(Path('/proc/self/statm').read_text().split()[1]) * resource.getpagesize()


@pytest.mark.long
def test_restores_take_no_memory(start):
    """800 restores of 40 bodies, each from a file of 20 kB or more, take less than 4 MB."""
    engine = start().engine
    for k in range(40):
        engine.add(ObjectSpec(f'ball {k}', Sphere(0.1), 1.0, shift(float(k))))
    state = engine.save()
    for _ in range(50):
        engine.restore(state)
    before = resident()
    for _ in range(800):
        engine.restore(state)
    assert resident() - before < 4e6


@pytest.mark.parametrize('kind', ['obj', 'stl'])
def test_a_mesh_that_changed_is_read_again(start, tmp_path, kind):
    """The top of a cube is at half its size, also where the file held another cube before."""
    path, engine = tmp_path / f'cube.{kind}', start(gravity=0.0).engine
    for size in (1.0, 2.0):
        trimesh.creation.box((size, size, size)).export(path)
        body = engine.load(RobotSpec('meshed', MESHED.format(path=path), ()))
        hit = engine.ray(np.array([0.0, 0.0, 5.0]), np.zeros(3))
        assert hit.point[2] == pytest.approx(0.5 * size, abs=2e-3)
        engine.remove(body)
