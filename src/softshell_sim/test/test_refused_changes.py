"""Changes of surfaces, layers and drives that are refused, each with the good ones beside it."""

import numpy as np
import pytest

from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.changing.changes import Place, Push, Remove, SetPadding, SetSurface, Spawn
from softshell_sim.changing.drive import Drive, Release
from softshell_sim.scene import Scene
from softshell_sim.shapes import Box, Plane, Sphere

NAN, INF = np.nan, np.inf
CUBE = Box((0.2, 0.2, 0.2))
#: Poses.
AHEAD, BACK, TURNED = [1.0, 0, 1, 0, 0, 0, 1], [-1.0, 0, 1, 0, 0, 0, 1], [1.0, 0, 1, 0, 0, 1, 0]
MOUNT = '<robot name="mount"><link name="mount"/></robot>'


@pytest.fixture
def scene(start):
    """A floor, a box on it, a shrunk one, a fixed robot, and a box that is held in the air."""
    scene = Scene(start().engine, {})
    scene.apply(
        [
            Spawn(ObjectSpec('floor', Plane())),
            Spawn(ObjectSpec('box', CUBE, 2.0, shift(z=0.1))),
            Spawn(ObjectSpec('shrunk', CUBE, 2.0, shift(1.0, z=0.1), preshrink=True)),
            Spawn(ObjectSpec('held', CUBE, 2.0, shift(2.0, z=1.0))),
            Spawn(RobotSpec('mount', MOUNT, (), fixed=True)),
            Drive('held'),
        ]
    )
    for _ in range(50):
        scene.step()
    return scene


def everything(scene):
    """All numbers of all bodies, how they touch, and which are driven."""
    engine, rows = scene.engine, []
    for name, body in engine.bodies.items():
        state = scene.state(name)
        rows += [state.position, state.orientation, state.linear_velocity, state.angular_velocity]
        rows.append([engine.padding[body], body in engine.driven, engine.mass(body)])
    surfaces = engine.surfaces.save()
    numbers = np.concatenate(rows).tobytes()
    return numbers, list(engine.bodies), dict(surfaces.own), dict(surfaces.pairs)


WRONG = [
    (SetSurface('nobody', Surface()), "set surface 'nobody': unknown body 'nobody'; known: ball,"),
    (SetSurface('box', Surface(), 'nobody'), "unknown body 'nobody'; known: ball, box, floor"),
    (SetSurface('box', None), 'gives no surface; expected one, or the other body of a pair'),
    (SetSurface('box', 0.5), 'surface is 0.5; expected a Surface, such as Surface(friction=0.5)'),
    (SetSurface('box', {'friction': 1.0}, 'floor'), "surface is {'friction': 1.0}; expected a Su"),
    (SetPadding('nobody', 0.01), "set padding 'nobody': unknown body 'nobody'"),
    (SetPadding('box', -0.01), 'padding is -0.01 m; expected 0 or more, at most 1 m'),
    (SetPadding('box', NAN), 'padding is nan m; expected 0 or more, at most 1 m'),
    (SetPadding('shrunk', 0.2), 'leaves nothing of its Box, which is 0.2 m thick'),
    (Release('nobody'), "release 'nobody': unknown body 'nobody'"),
    (Release('box'), "'box' is not driven; expected one that is"),
    (Drive('nobody'), "drive 'nobody': unknown body 'nobody'"),
    (Drive('floor'), "'floor' stands still and cannot be driven; expected a body that can move"),
    (Drive('mount'), "'mount' stands still and cannot be driven"),
    (Drive('box', [1.0]), 'has times of shape (1,) and poses of shape (0,); expected (poses,)'),
    (Drive('box', [1.0], np.zeros((2, 7))), 'poses of shape (2, 7); expected (poses,) and (poses'),
    (Drive('box', [[1.0]], [AHEAD]), 'has times of shape (1, 1)'),
    (Drive('box', [1.0, 2.0], [AHEAD, [0.0]]), 'has times or poses that are no numbers; expected'),
    (Drive('box', range(10**5 + 1), [AHEAD] * (10**5 + 1)), 'with at most 100000 poses'),
    (Drive('box', [1.0], [AHEAD[:6]]), 'poses of shape (1, 6)'),
    (
        Drive('box', [-0.1], [AHEAD]),
        'time 1 is -0.1 s; expected 0 or more, finite, and',
    ),
    (Drive('box', [0.5, 0.5], [AHEAD] * 2), 'time 2 is 0.5 s; expected 0 or more'),
    (Drive('box', [INF], [AHEAD]), 'time 1 is inf s'),
    (Drive('box', [NAN], [AHEAD]), 'time 1 is nan s'),
    (Drive('box', [1.0], [[NAN, *AHEAD[1:]]]), 'position 1 is [nan, 0.0, 1.0] m; expected three'),
    (Drive('box', [1.0], [[1e9, *AHEAD[1:]]]), 'no longer than 10000 m'),
    (
        Drive('box', [1.0, 2.0], [AHEAD, [0] * 7]),
        'orientation 2 is [0.0, 0.0, 0.0, 0.0]; exp',
    ),
    (Drive('box', [1e-6], [AHEAD]), 'from where it is to pose 1 it would move at'),
    (
        Drive('box', [0.0, 1e-3], [AHEAD, BACK]),
        'pose 1 to pose 2 it would move at 2000 m/s',
    ),
    (Drive('box', [0.0, 1e-3], [AHEAD, TURNED]), 'at 3141.59 rad/s; expected at most 50 rad/s'),
    (Push('box', ['a', 0, 0]), "force is ['a', 0, 0] N; expected three numbers, a vector no"),
    (Push('box', [1.0, 0, 0], duration='1'), 'duration is 1 s; expected more than 0'),
    (Push('floor', [1.0, 0, 0]), "'floor' stands still and cannot be pushed; expected a body or"),
    (Push('mount', [1.0, 0, 0], link='mount'), "'mount' stands still and cannot be pushed"),
    (Place('box', BodyState(np.zeros(3), 'turn')), 'orientation is turn; expected a quaternion'),
    (Place('held', BodyState.at_rest(shift(z=1.0))), "'held' is driven; release it first"),
]


@pytest.mark.parametrize(('change', 'text'), WRONG)
def test_one_bad_change_rejects_all(scene, change, text):
    """It is named with its number among the changes; nothing is changed, now or later."""
    before = everything(scene)
    good = [
        SetSurface('box', Surface(0.1)),
        SetSurface('box', Surface(1.0, 0.0, 5e3, 50.0), 'floor'),
        SetPadding('box', 0.01),
        Push('box', [5.0, 0.0, 0.0]),
        Drive('shrunk', [1.0], [AHEAD]),
        Spawn(ObjectSpec('ball', Sphere(0.1), 1.0)),
    ]
    with pytest.raises(ProblemsError) as caught:
        scene.apply([*good, change, Remove('shrunk')])
    (problem,) = caught.value.problems
    assert problem.startswith('change 7 of 8, ')
    assert text in problem
    assert everything(scene) == before
    for _ in range(20):
        scene.step()
    assert scene.state('box').linear_velocity == pytest.approx(np.zeros(3), abs=1e-3)


def test_a_batch_knows_what_it_drives_and_releases(scene):
    """A body that the batch drives can be released by it, and one that it releases be placed."""
    there = Place('held', BodyState.at_rest(shift(2.0, z=3.0)))
    scene.apply([Drive('box'), Release('box'), Release('held'), there, Drive('held')])
    assert [body.name for body in scene.engine.driven] == ['held']
    assert scene.state('held').position == pytest.approx([2.0, 0.0, 3.0])
    with pytest.raises(ProblemsError, match="'held' is not driven"):
        scene.apply([Release('held'), Release('held')])
    new = Spawn(ObjectSpec('held', CUBE, 2.0, shift(z=5.0)))
    with pytest.raises(ProblemsError, match="'held' is not driven"):
        scene.apply([Remove('held'), new, Release('held')])
    quick = Drive('held', [0.02], [AHEAD])
    with pytest.raises(ProblemsError, match='from where it is to pose 1 it would move at 206'):
        scene.apply([Remove('held'), new, quick])
    assert [body.name for body in scene.engine.driven] == ['held']


def test_an_engine_refuses_what_it_cannot_do(scene):
    """Asked directly, the engine says what is wrong, and nothing is changed."""
    engine, before = scene.engine, everything(scene)
    with pytest.raises(SoftshellError, match="'floor' stands still and cannot be driven"):
        engine.set_driven(engine.body('floor'), True)
    with pytest.raises(SoftshellError, match='leaves nothing of its Box'):
        engine.set_padding(engine.body('shrunk'), 0.2)
    assert everything(scene) == before
    box = engine.body('box')
    engine.remove(box)
    for call in (
        lambda: engine.set_driven(box, True),
        lambda: engine.set_padding(box, 0.0),
        lambda: engine.set_surface(box, Surface()),
    ):
        with pytest.raises(UnknownNameError, match="unknown body 'box'; known: floor, held"):
            call()
