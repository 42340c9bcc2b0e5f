"""What the keyboard node asks of the robot beside velocities: postures and actions."""

import time

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.action', reason='needs the built workspace')

from geometry_msgs.msg import PoseStamped
from keyboard_rig import PATIENCE, SILENCE, Robot, keep_typing, wait
from nav_msgs.msg import Odometry

from softshell_client import ActionFailedError, Shell


def report_posture(robot: Robot, height: float) -> None:
    """Publish a posture at a height [m], in a frame that only this robot has."""
    report = PoseStamped()
    report.header.frame_id = 'ground'
    report.pose.position.z, report.pose.orientation.w = height, 1.0
    robot.posture.publish(report)


def test_posture_starts_from_the_report(robot, start):
    """Posture keys wait for the latched posture, then step from it; odometry is shown live.

    The posture that is asked for is in the robot's footprint, whatever that is called.
    """
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    keyboard.type('u')
    keyboard.wait_for('posture not known yet')
    report_posture(robot, 0.14)
    base = Odometry()
    base.pose.pose.position.z, base.pose.pose.orientation.w = 0.123, 1.0

    def shown() -> bool:
        robot.odometry.publish(base)
        return 'height 0.123 m' in keyboard.printed

    wait(shown)
    keep_typing(keyboard, '\x1b[A', lambda: robot.poses)  # the report may still be on its way
    pose = robot.poses[0]
    assert pose.header.frame_id == ''
    assert pose.pose.position.z == pytest.approx(0.14)
    assert pose.pose.orientation.y == pytest.approx(0.01, abs=1e-5)  # sin of half of 0.02 rad
    assert robot.twists == []


@pytest.mark.long
def test_a_refused_posture_says_why_and_does_not_add_up(robot, start):
    """A height that the manager refuses is printed with its reason; the next step is as high."""
    keyboard = start()
    report_posture(robot, 0.149)
    keyboard.wait_for('the keys for this robot')
    keep_typing(keyboard, 'u', lambda: robot.poses)
    keyboard.wait_for('posture: unreachable: a foot cannot reach')
    before = len(robot.poses)  # the refusal is in the state before the next key is read
    keep_typing(keyboard, 'u', lambda: len(robot.poses) > before)
    heights = [pose.pose.position.z for pose in robot.poses]
    assert heights == pytest.approx([0.154] * len(heights))


@pytest.mark.long
def test_one_posture_is_on_its_way_and_the_newest_comes_next(robot, start):
    """Steps taken while a posture is not answered yet are one request, for the last of them."""
    keyboard = start()
    report_posture(robot, 0.14)
    keyboard.wait_for('the keys for this robot')
    robot.busy.set()
    keep_typing(keyboard, 'l', lambda: robot.poses)
    first = robot.poses[0].pose.position.z

    def press(key: str, step: str) -> None:
        before = keyboard.printed.count(f'{step}: height')
        keyboard.type(key)
        wait(lambda: keyboard.printed.count(f'{step}: height') > before)

    # No key twice in a row: repeats have an interval, and are not printed.
    steps = (('u', 'raise'), ('l', 'lower'), ('\x1b[D', 'tilt left'), ('l', 'lower'))
    for key, step in steps:
        press(key, step)
    time.sleep(SILENCE)
    assert len(robot.poses) == 1
    robot.busy.clear()
    wait(lambda: len(robot.poses) == 2)
    time.sleep(SILENCE)
    assert len(robot.poses) == 2
    assert robot.poses[1].pose.position.z == pytest.approx(first - 0.005)
    assert robot.poses[1].pose.orientation.x == pytest.approx(-0.01, abs=1e-5)


def test_actions_are_sent_and_their_end_is_told(robot, start):
    """T stands, I idles; success, failure with its message and refusal each print one line."""
    keyboard = start()
    keyboard.wait_for('the keys for this robot')
    wait(lambda: robot.node.count_clients('execute_action/_action/send_goal') > 0)
    # The other direction of discovery may take longer: a key that comes too early is refused.
    keep_typing(keyboard, 't', lambda: robot.goals)
    keyboard.wait_for(r'stand: done in 1\.5 s')
    keyboard.type('i')
    keyboard.wait_for('idle: unreachable: lower_3 cannot reach')
    keyboard.type('T')
    keyboard.wait_for('stand: not ready: the action manager takes no goal')
    assert robot.goals == ['stand', 'idle', 'stand']


def test_nobody_listens(start):
    """Without a robot a drive key says that nobody listens, and an action that none serves."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    keep_typing(keyboard, 'w', lambda: 'no node subscribes to cmd_vel' in keyboard.printed)
    keyboard.type('i')
    keyboard.wait_for('idle: no action manager in namespace')


@pytest.mark.long
def test_keys_of_another_robot_are_not_offered(namespace, start):
    """Of an arm neither legs nor postures are shown, and the keys say what is missing."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    assert 'stand' in keyboard.printed
    robot = Robot(namespace, actions=('wave',), has_legs=False)
    try:
        keyboard.wait_for('the keys for this robot')
        table = keyboard.printed.split('the keys for this robot')[1]
        assert 'exit' in table
        assert not any(word in table for word in ('forward', 'stand', 'idle', 'raise', 'level'))
        keyboard.type('t')
        keyboard.wait_for('stand: this robot has no such action')
        keyboard.type('u')
        keyboard.wait_for('raise: the base of this robot cannot be brought to a pose')
        keep_typing(keyboard, 'w', lambda: 'no node subscribes to cmd_vel' in keyboard.printed)
        keyboard.wait_for('this robot does not walk')
    finally:
        robot.close()
    assert robot.goals == []


def test_space_cancels_the_action_that_runs(namespace, start, robot):
    """An action that goes on is cancelled, and its end is told."""
    robot.endless.set()
    keyboard = start()
    keyboard.wait_for('the keys for this robot')
    keep_typing(keyboard, 't', lambda: robot.goals)
    keyboard.wait_for(r'stand: rising 25 %')
    keyboard.type(' ')
    keyboard.wait_for('stand: canceled: at rest')


@pytest.mark.long
def test_an_emergency_stop_that_cannot_be_asked_for_is_told(start):
    """Where no bridge answers."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    keyboard.type('\x7f')
    keyboard.wait_for('emergency stop asked for')
    keyboard.wait_for('emergency_stop: no bridge in namespace')
    assert 'to go on' not in keyboard.printed


@pytest.mark.parametrize('late', [False, True])
def test_one_press_is_one_emergency_stop(namespace, start, robot, late):
    """Also of a bridge that appears after it; the way out that is told is that of this robot."""
    if not late:
        robot.add_bridge()
    keyboard = start()
    keyboard.wait_for('the keys for this robot')
    keyboard.type('\x7f')
    if late:
        keyboard.wait_for('emergency stop asked for')
        time.sleep(0.5)
        robot.add_bridge()
    keyboard.wait_for(rf'to go on: .*bridge/activate, each with namespace:={namespace[1:]}')
    time.sleep(SILENCE)
    assert robot.stops == 1


@pytest.mark.long
def test_space_cancels_what_others_began(namespace, start, robot):
    """Also if this keyboard has begun nothing itself."""
    robot.endless.set()
    keyboard = start()
    keyboard.wait_for('the keys for this robot')
    with Shell(namespace, PATIENCE) as other:
        walk = other.begin_action('walk')
        wait(lambda: walk.progress == 0.25)
        keep_typing(keyboard, ' ', walk.done)
        with pytest.raises(ActionFailedError, match='walk: canceled: at rest'):
            walk.result()


def test_space_without_a_robot_says_that_nothing_was_cancelled(start):
    """It is not silent: who pressed it wants something to stop."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    keyboard.type(' ')
    keyboard.wait_for('cancel: no action manager in namespace')
