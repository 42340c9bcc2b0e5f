"""What the answer of `~/get_world` shows of a body, also where its shapes cannot be made."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from softshell_interfaces.msg import WorldBody
from softshell_sim.bodies import RobotSpec
from softshell_sim.ros.world_looks import Looks

#: A box that turns about the z axis, 1 m from it.
WHEEL = """<robot name="wheel"><link name="mount"/>
<link name="rim"><visual><origin xyz="1 0 0"/><geometry>{}</geometry></visual></link>
<joint name="turn" type="continuous"><parent link="mount"/><child link="rim"/><axis xyz="0 0 1"/>
</joint></robot>"""
BOX = '<box size="0.2 0.2 0.2"/>'


def shown(text, angle):
    """The shapes of a wheel, and the warnings."""
    warnings = []
    body = WorldBody(name='wheel', joints=['turn'], positions=[angle])
    return Looks(warnings.append).shapes(body, RobotSpec('wheel', text, ('turn',))), warnings


@pytest.mark.parametrize('turns', [0, -3, 10_000])
def test_a_wheel_is_shown_however_often_it_has_turned(turns):
    """A quarter of a turn brings its box to the y axis."""
    (shape,), warnings = shown(WHEEL.format(BOX), 2.0 * np.pi * (turns + 0.25))
    middle = np.reshape(shape.vertices, (-1, 3)).mean(axis=0)
    assert middle == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)
    assert not warnings


@pytest.mark.parametrize(
    ('look', 'angle', 'reason'),
    [
        (BOX, np.nan, 'angle is nan'),
        ('<mesh filename="/nowhere/rim.stl"/>', 0.0, '/nowhere/rim.stl'),
    ],
)
def test_what_cannot_be_shown_has_no_shapes(look, angle, reason):
    """A joint at NaN, a mesh that is gone: the body is told all the same, with a warning."""
    shapes, (warning,) = shown(WHEEL.format(look), angle)
    assert not shapes
    assert warning.startswith("get_world: 'wheel' is told without shapes")
    assert reason in warning
