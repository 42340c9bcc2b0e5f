"""The services of a simulated world, of a bridge in a process of its own."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from geometry_msgs.msg import Point, Pose, Quaternion, Twist, Vector3
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from softshell_interfaces.msg import (
    BodyContacts,
    BridgeStatus,
    TrajectoryState,
    WorldBody,
    WorldChange,
)
from softshell_interfaces.srv import GetWorld, NamedState, StepTime

sys.path.insert(0, str(Path(__file__).parents[2] / 'softshell_control/test'))
from bridge_process import nanoseconds, starter
from every_engine import OTHERS_LONG
from world_client import WorldClient, change, push, spawn

SIM = 'import sys; from softshell_sim.ros.sim_bridge import main; sys.exit(main())'
NAN, INF = float('nan'), float('inf')


@pytest.fixture(scope='module')
def start(module_domains):
    """Starts bridges; all end with the module by SIGTERM, cleanly."""
    yield from starter(module_domains)


@pytest.fixture(scope='module', params=OTHERS_LONG)
def client(request, start):
    """The arm, paused and held."""
    client = start(
        'robot:=arm', f'engine:={request.param}', 'real_time_factor:=0.0',
        code=SIM, client=WorldClient,
    )  # fmt: skip
    client.wait_mode(BridgeStatus.HOLDING)
    assert client.ask(Trigger, 'pause').success
    return client


def test_time_passes_in_steps_while_paused(client):
    """Exactly so much as was asked for, rounded up to control periods."""
    before = client.ask(GetWorld, 'get_world')
    assert before.paused
    answer = client.ask(StepTime, 'step', duration=0.1)
    assert (answer.success, answer.message) == (True, '0.1 s have passed')
    after = client.ask(GetWorld, 'get_world')
    assert nanoseconds(after.header.stamp) - nanoseconds(before.header.stamp) == 100_000_000
    assert client.ask(StepTime, 'step', duration=0.001).message == '0.004 s have passed'
    client.wait(lambda: client.statuses[-1].paused, 'a status that says so')
    assert client.ask(Trigger, 'emergency_stop').success
    told = client.ask(StepTime, 'step', duration=0.1).message
    assert told == '0.1 s have passed, in mode EMERGENCY_STOP'
    for service in ('reset', 'activate', 'pause'):
        assert client.ask(Trigger, service).success


def test_a_ball_falls_is_pushed_and_goes(client):
    """A body comes, moves by gravity and by a push, and is taken out again."""
    ball = '{sphere: {radius: 0.1}, mass: 0.5}'
    assert client.change(spawn('ball', ball, x=2.0), push('ball', 5.0)).success
    assert client.ask(StepTime, 'step', duration=0.2).success
    body = client.bodies()['ball']
    assert not body.fixed
    assert body.twist.linear.z == pytest.approx(-9.81 * 0.2, rel=1e-4)
    assert body.twist.linear.x == pytest.approx(5.0 * 0.1 / 0.5, rel=1e-4)
    assert client.change(WorldChange(kind=WorldChange.REMOVE, body='ball')).success
    assert set(client.bodies()) == {'floor', 'robot'}


@pytest.mark.long
def test_a_plate_is_driven_with_what_lies_on_it(client):
    """By its path while time passes, told as driven, and after its release it falls."""
    plate = '{box: {size: [0.6, 0.6, 0.1]}, mass: 1}'
    box = '{box: {size: [0.2, 0.2, 0.2]}, mass: 2}'
    way = [Pose(position=Point(x=2.0 + x, z=1.0), orientation=Quaternion(w=1.0)) for x in (0, 0.1)]
    drive = WorldChange(kind=WorldChange.DRIVE, body='plate', times=[0.1, 1.1], path=way)
    answer = client.change(spawn('plate', plate, x=2.0), spawn('box', box, x=2.0, z=1.15), drive)
    assert answer.success, answer.message
    assert client.ask(StepTime, 'step', duration=1.3).success
    bodies = client.bodies()
    assert bodies['plate'].driven
    assert not bodies['box'].driven
    for name, z in (('plate', 1.0), ('box', 1.15)):
        place = bodies[name].pose.position
        assert (place.x, place.y, place.z) == pytest.approx((2.1, 0.0, z), abs=2e-3)
    assert client.change(WorldChange(kind=WorldChange.RELEASE, body='plate')).success
    assert client.ask(StepTime, 'step', duration=0.2).success
    assert client.bodies()['plate'].twist.linear.z == pytest.approx(-9.81 * 0.2, rel=1e-3)
    leave = [WorldChange(kind=WorldChange.REMOVE, body=name) for name in ('plate', 'box')]
    assert client.change(*leave).success


def test_surfaces_and_layers_are_changed_and_told(client):
    """Of a body and of a pair: a box slides with what the pair was given, then with the blend."""
    spec = '{box: {size: [0.2, 0.2, 0.2]}, mass: 2, friction: 0.4}'
    slides = Twist(linear=Vector3(x=1.0))
    slick = WorldChange(kind=WorldChange.SET_SURFACE, body='box', other='floor', friction=0.1)
    blend = WorldChange(kind=WorldChange.BLEND_SURFACES, body='floor', other='box')
    same = WorldChange(kind=WorldChange.SET_SURFACE, body='floor', friction=0.4)
    before = client.bodies()['floor'].friction
    assert client.change(spawn('box', spec, x=2.0, z=0.1), same).success
    for between, friction in ((slick, 0.1), (blend, 0.4)):
        place = spawn('box', '', x=2.0, z=0.1)
        place.kind, place.twist = WorldChange.PLACE, slides
        assert client.change(place, between).success
        assert client.ask(StepTime, 'step', duration=0.1).success
        speed = client.bodies()['box'].twist.linear.x
        assert speed == pytest.approx(1.0 - friction * 9.81 * 0.1, rel=0.02)
    soft = WorldChange(
        kind=WorldChange.SET_SURFACE, body='box', friction=0.3, restitution=0.1, stiffness=5e3,
        damping=50.0,
    )  # fmt: skip
    layer = WorldChange(kind=WorldChange.SET_PADDING, body='box', padding=0.004)
    assert client.change(soft, layer).success
    box = client.bodies()['box']
    told = (box.friction, box.restitution, box.stiffness, box.damping, box.padding)
    assert told == (0.3, 0.1, 5e3, 50.0, 0.004)
    same.friction = before
    assert client.change(WorldChange(kind=WorldChange.REMOVE, body='box'), same).success


def test_contacts_are_told_to_those_who_listen(client):
    """A box at rest: where it is, upwards, its weight in all; and an arrow for each force."""
    heard, arrows = [], []
    kinds = ((BodyContacts, 'contacts', heard), (MarkerArray, 'contact_markers', arrows))
    listeners = [
        client.node.create_subscription(kind, topic, kept.append, 10)
        for kind, topic, kept in kinds
    ]
    box = '{box: {size: [0.1, 0.1, 0.1]}, mass: 0.2}'
    assert client.change(spawn('box', box, x=2.0, z=0.05)).success

    def listened():
        client.ask(StepTime, 'step', duration=0.2)
        return heard and arrows

    client.wait(listened, 'contacts')
    client.ask(StepTime, 'step', duration=0.6)
    now = nanoseconds(client.ask(GetWorld, 'get_world').header.stamp)
    client.wait(lambda: nanoseconds(heard[-1].header.stamp) == now, 'contacts of now')
    client.wait(lambda: nanoseconds(arrows[-1].markers[-1].header.stamp) == now, 'arrows of now')
    stamps = [nanoseconds(each.header.stamp) for each in heard]
    assert all(earlier < later for earlier, later in pairwise(stamps))
    found = [each for each in heard[-1].contacts if 'box' in (each.body, each.other_body)]
    assert {each.link if each.body == 'box' else each.other_link for each in found} == {'box'}
    signs = [1.0 if each.body == 'box' else -1.0 for each in found]
    force = sum(sign * each.force.z for sign, each in zip(signs, found, strict=True))
    assert force == pytest.approx(0.2 * 9.81, rel=0.01)
    assert all(sign * each.normal.z > 0.999 for sign, each in zip(signs, found, strict=True))
    assert all(abs(each.point.x - 2.0) < 0.052 for each in found)
    bodies = client.bodies()
    floor, own = bodies['floor'].friction, bodies['box'].friction
    blend = 2.0 * floor * own / (floor + own)
    assert all(each.friction == pytest.approx(blend, rel=0.01) for each in found)
    (pair,) = [each for each in heard[-1].pairs if 'box' in (each.body, each.other_body)]
    sign = 1.0 if pair.body == 'box' else -1.0
    assert pair.in_contact
    assert not pair.had_separation
    assert sign * pair.force.z == pytest.approx(0.2 * 9.81, rel=0.01)
    assert sign * pair.mean_force.z == pytest.approx(0.2 * 9.81, rel=0.01)
    assert len(arrows[-1].markers) == len(heard[-1].contacts) + 1
    for listener in listeners:
        client.unsubscribe(listener)
    assert client.change(WorldChange(kind=WorldChange.REMOVE, body='box')).success


def test_a_body_that_goes_astray_is_told_and_slowed_down(client):
    """A blow of a fall from 50 km within a step: told once, and the others are as they were."""
    assert client.result(client.ask_parameters(stabilise=True)).results[0].successful
    ball = '{sphere: {radius: 0.1}, mass: 0.001}'
    assert client.change(spawn('ball', ball, x=2.0), push('ball', 1000.0, 0.001)).success
    assert client.ask(StepTime, 'step', duration=0.02).success
    bodies = client.bodies()
    assert bodies['ball'].status == WorldBody.UNSTABLE
    assert bodies['ball'].twist.linear.x < 100.0
    assert bodies['robot'].status == WorldBody.NORMAL
    client.ask(StepTime, 'step', duration=0.02)
    assert client.bodies()['ball'].status == WorldBody.NORMAL
    assert client.change(WorldChange(kind=WorldChange.REMOVE, body='ball')).success
    assert client.result(client.ask_parameters(stabilise=False)).results[0].successful


def test_a_saved_state_comes_back(client):
    """By name, with all bodies, as often as wanted; after `forget` no more."""
    assert client.change(spawn('box', '{box: {size: [0.1, 0.1, 0.1]}, mass: 0.2}')).success
    assert client.ask(NamedState, 'save_state', name='high').names == ['high']
    assert client.ask(StepTime, 'step', duration=0.3).success
    fallen = client.numbers()
    for _ in range(2):
        answer = client.ask(NamedState, 'restore_state', name='high')
        assert answer.success, answer.message
        assert client.bodies()['box'].pose.position.z == pytest.approx(1.0)
        assert client.ask(StepTime, 'step', duration=0.3).success
        assert client.numbers() == fallen
    assert client.change(WorldChange(kind=WorldChange.REMOVE, body='box')).success
    answer = client.ask(NamedState, 'restore_state', name='high')
    assert "saved with other bodies: 'box' is missing" in answer.message
    assert client.ask(NamedState, 'forget_state', name='high').names == []
    answer = client.ask(NamedState, 'restore_state', name='high')
    assert (answer.success, answer.message) == (False, "unknown state 'high'; known: none")
    assert not client.ask(NamedState, 'save_state', name='').success


def test_joints_that_are_put_somewhere_are_held_there(client):
    """The trajectory under way ends, with the reason."""
    name = client.send(['shoulder'], [0.4], 5.0)
    client.wait_for(name, TrajectoryState.ACTIVE)
    change = WorldChange(
        kind=WorldChange.PLACE_JOINTS, body='robot', joints=['elbow'], positions=[0.3]
    )
    assert client.change(change).success
    assert client.ask(StepTime, 'step', duration=0.5).success
    stopped = client.wait_for(name, TrajectoryState.STOPPED)
    assert stopped.trajectory.reasons == ['joints were put somewhere else']
    robot = client.bodies()['robot']
    elbow = robot.positions[robot.joints.index('elbow')]
    assert elbow == pytest.approx(0.3, abs=0.1)


SET_SURFACE = WorldChange.SET_SURFACE
WRONG = [
    (
        WorldChange(kind=0, body='a'),
        "change 2 of 2, 'a': kind is 0; expected one of the constants",
    ),
    (spawn('robot', '{sphere: {radius: 0.1}, mass: 1}'), "body 'robot' exists already"),
    (spawn('a', '{sphere: {radius: -1.0}}'), 'radius is -1.0 m; expected more than 0'),
    (spawn('a', '{sphere: {radius: 0.1}, mass: -1.0}'), 'mass is -1.0 kg; expected 0 or more'),
    (spawn('a', '{sphere: {radius: .nan}}'), 'radius'),
    (spawn('a', '{mass: 1.0}'), 'has no shape; expected one of box, sphere'),
    (spawn('a', '{spher: {radius: 0.1}}'), 'spher'),
    (spawn('a', '{box'), 'is not YAML'),
    (spawn('a', '{urdf: {file: /nowhere.urdf}}'), "'/nowhere.urdf' cannot be read"),
    (spawn('', '{sphere: {radius: 0.1}, mass: 1.0}'), 'has no name'),
    (WorldChange(kind=WorldChange.REMOVE, body='x'), "unknown body 'x'; known: floor, robot"),
    (WorldChange(kind=WorldChange.REMOVE, body='robot'), "'robot' is the robot and stays"),
    (
        WorldChange(
            kind=WorldChange.PLACE, body='robot', pose=Pose(orientation=Quaternion(w=0.0))
        ),
        'expected a quaternion x, y, z, w of length 1',
    ),
    (
        WorldChange(
            kind=WorldChange.PLACE_JOINTS, body='robot', joints=['elbow'], positions=[NAN]
        ),
        "joint 'elbow' is at nan; expected a finite position",
    ),
    (
        WorldChange(kind=WorldChange.PLACE_JOINTS, body='robot', joints=['knee'], positions=[0.0]),
        "unknown joint 'knee'; known: elbow, shoulder, wrist",
    ),
    (
        WorldChange(kind=WorldChange.PLACE_JOINTS, body='robot', joints=['elbow']),
        '1 joints, 0 positions',
    ),
    (push('robot', 1e30), 'no longer than 100000 N'),
    (push('robot', NAN), 'force is [nan, 0.0, 0.0] N'),
    (push('robot', 1.0, duration=-1.0), 'duration is -1.0 s; expected more than 0'),
    (push('robot', 1.0, link='tail'), "unknown link 'tail'; known:"),
    (change(SET_SURFACE, 'x'), "unknown body 'x'; known: floor, robot"),
    (change(SET_SURFACE, 'robot', other='x'), "unknown body 'x'; known: floor, robot"),
    (change(SET_SURFACE, 'robot', friction=-1.0), 'friction is -1.0; expected 0 or more'),
    (change(SET_SURFACE, 'robot', stiffness=NAN), 'stiffness is nan N/m; expected more than 0'),
    (change(SET_SURFACE, 'robot', damping=1.0), 'stiffness is 0.0 N/m; expected more than 0'),
    (change(WorldChange.BLEND_SURFACES, 'robot'), 'gives no surface; expected one, or the other'),
    (change(WorldChange.SET_PADDING, 'robot', padding=NAN), 'padding is nan m; expected 0 or'),
    (change(WorldChange.DRIVE, 'robot'), "'robot' stands still and cannot be driven"),
    (change(WorldChange.DRIVE, 'robot', times=[1.0]), 'times of shape (1,) and poses of shape'),
    (change(WorldChange.DRIVE, 'robot', times=[NAN], path=[Pose()]), 'time 1 is nan s; expected'),
    (change(WorldChange.RELEASE, 'robot'), "'robot' is not driven; expected one that is"),
]


@pytest.mark.parametrize(('change', 'text'), WRONG)
def test_bad_changes_are_refused_by_name(client, change, text):
    """With the good one before it, and no number of the world is different."""
    before = client.numbers()
    answer = client.change(push('robot', 50.0, duration=100.0), change)
    assert not answer.success
    assert text in answer.message
    assert 'change 2 of 2' in answer.message
    assert client.numbers() == before


@pytest.mark.parametrize('duration', [0.0, -1.0, NAN, INF, 1e9])
def test_steps_of_no_time_are_refused(client, duration):
    """With the number, and no time passes."""
    before = client.ask(GetWorld, 'get_world').header.stamp
    answer = client.ask(StepTime, 'step', duration=duration)
    assert not answer.success
    assert f'duration is {duration} s; expected more than 0' in answer.message
    assert client.ask(GetWorld, 'get_world').header.stamp == before


def test_time_resumes_without_catching_up(client):
    """Last of all here: after a pause the clock goes on from where it stood, in single periods."""
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=1.0)
    paced = [Parameter(name='real_time_factor', value=value)]
    assert client.ask(SetParameters, 'set_parameters', parameters=paced).results[0].successful
    stood = client.ask(GetWorld, 'get_world').header.stamp
    assert client.ask(Trigger, 'resume').success
    client.wait(lambda: nanoseconds(client.clock[-1].clock) > nanoseconds(stood), 'a clock')
    client.wait(lambda: nanoseconds(client.clock[-1].clock) > nanoseconds(stood) + 10**8, '0.1 s')
    clocks = [nanoseconds(message.clock) for message in client.clock]
    stamps = [clock for clock in clocks if clock >= nanoseconds(stood)]
    steps = {b - a for a, b in pairwise(stamps)}
    assert steps <= {0, 4_000_000}
    answer = client.ask(StepTime, 'step', duration=0.1)
    assert 'simulated time passes; ~/pause it' in answer.message
