"""The station: the bodies of a simulated world are shown as they look now."""

from types import SimpleNamespace

import numpy as np
import pytest

from softshell_dashboard.station import WORLD_PERIOD


def body(name, *shapes):
    """A body at the origin with triangles of given size [m] and colour."""
    place = SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)
    return SimpleNamespace(
        name=name,
        pose=SimpleNamespace(position=place, orientation=place),
        shapes=[
            SimpleNamespace(
                vertices=[0.0, 0.0, 0.0, size, 0.0, 0.0, 0.0, size, 0.0],
                triangles=[0, 1, 2],
                color=colour,
            )
            for size, colour in shapes
        ],
    )


RED, PINK = (1.0, 0.0, 0.0), (1.0, 0.5, 0.5)


@pytest.fixture
def after(station, robot, clock):
    """Function: what is changed in the scene once the world has these bodies."""
    station._now = clock

    def change(*bodies):
        station._scene.shown.clear()
        robot.bodies = list(bodies)
        clock.now += WORLD_PERIOD
        station.step(True)
        calls = [(name, *given) for name, *given in station._scene.shown]
        return [one for one in calls if one[0] in ('set_body', 'remove_body')]

    return change


@pytest.mark.parametrize(
    'new', [body('a', (0.2, RED)), body('a', (0.1, PINK)), body('a', (0.1, RED), (0.2, RED))]
)
def test_a_body_that_comes_anew_under_its_name_gets_its_new_looks(after, new):
    after(body('a', (0.1, RED)), body('b', (0.1, RED)))
    ((call, name, looks),) = after(new, body('b', (0.1, RED)))
    assert (call, name) == ('set_body', 'a')
    sizes = [shape.vertices[3] for shape in new.shapes]
    assert [vertices[1, 0] for vertices, _, _ in looks] == sizes
    np.testing.assert_array_equal([colour for *_, colour in looks],
                                  [shape.color for shape in new.shapes])  # fmt: skip


def test_a_body_that_looks_as_before_is_left_alone_and_one_that_goes_is_removed(after):
    """Also one of which nothing can be seen any more."""
    after(body('a', (0.1, RED)), body('b', (0.1, RED)))
    assert after(body('a', (0.1, RED)), body('b', (0.1, RED))) == []
    assert after(body('b', (0.1, RED))) == [('remove_body', 'a')]
    assert after(body('b')) == [('remove_body', 'b')]
