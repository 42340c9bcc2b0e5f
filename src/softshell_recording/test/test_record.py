"""Topics recorded from nodes that send: who promises what, who comes late, what is left out."""

import math
import threading
import time
from pathlib import Path

import pytest
from rosbags.highlevel import AnyReader

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from rclpy.context import Context  # noqa: E402
from rclpy.duration import Duration  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.qos import QoSProfile, ReliabilityPolicy  # noqa: E402
from std_msgs.msg import Float64, String  # noqa: E402

from softshell_bringup.domain import free_domain  # noqa: E402
from softshell_common.ros import qos  # noqa: E402
from softshell_interfaces.action import ExecuteAction  # noqa: E402
from softshell_kinematics.errors import SoftshellError  # noqa: E402
from softshell_recording.bag import BagError  # noqa: E402
from softshell_recording.ros.record import record, recording_to  # noqa: E402
from softshell_recording.selection import Selection  # noqa: E402

#: [s] a safety net, no measure of anything.
PATIENCE = 30.0
FEEDBACK = '/execute_action/_action/feedback'


class Sender:
    """A node on a domain of its own."""

    def __init__(self, domain: int | None = None) -> None:
        self.domain = free_domain() if domain is None else domain
        self._context = Context()
        rclpy.init(args=[], context=self._context, domain_id=self.domain)
        self.node = rclpy.create_node('sender', context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._running = True
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _spin(self) -> None:
        while self._running:
            self._executor.spin_once(timeout_sec=0.05)

    def publisher(self, topic, kind=Float64, quality=qos.STATE):
        return self.node.create_publisher(kind, topic, quality)

    def close(self) -> None:
        self._running = False
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()


@pytest.fixture
def sender():
    sender = Sender()
    yield sender
    sender.close()


def recorded(path: Path, sender: Sender, send, wanted=None) -> tuple[dict[str, list], list[str]]:
    """What is recorded while `send` sends, by topic, and what was told."""
    done, told, failed = threading.Event(), [], []

    def run() -> None:
        try:
            record(
                path,
                wanted or Selection(),
                domain=sender.domain,
                ended=done.is_set,
                tell=told.append,
            )
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        send()
        time.sleep(0.5)
    finally:
        done.set()
        thread.join(PATIENCE)
    assert not failed
    return messages_of(path), told


def messages_of(path: Path) -> dict[str, list]:
    """The messages of a bag, by topic."""
    found: dict[str, list] = {}
    with AnyReader([path]) as reader:
        for connection, _, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            found.setdefault(connection.topic, []).append(message)
    return found


def heard(publisher) -> None:
    """Wait until somebody listens."""
    end = time.monotonic() + PATIENCE
    while not publisher.get_subscription_count():
        assert time.monotonic() < end, 'nobody listens'
        time.sleep(0.01)


def test_every_message_is_recorded_as_it_was_sent(tmp_path, sender):
    """A thousand, in their order; of a topic that appears while it is recorded as well."""
    first = sender.publisher('first')

    def send() -> None:
        heard(first)
        for value in range(1000):
            first.publish(Float64(data=float(value)))
            time.sleep(0.0005)
        second = sender.publisher('second')
        heard(second)
        second.publish(Float64(data=1.0))

    found, _ = recorded(tmp_path / 'bag', sender, send)
    assert [message.data for message in found['/first']] == list(range(1000))
    assert [message.data for message in found['/second']] == [1.0]


def test_what_was_latched_before_and_what_a_program_causes_is_recorded(tmp_path, sender):
    """The one as any late joiner gets it, and once; the other from its first message on.

    The program waits for nothing: topics are found before its `with` begins.
    """
    latched = sender.publisher('description', String, qos.LATCHED)
    latched.publish(String(data='the robot'))
    caused = sender.publisher('caused')
    with recording_to(tmp_path / 'bag', domain=sender.domain):
        for value in range(100):
            caused.publish(Float64(data=float(value)))
        time.sleep(0.2)
    caused.publish(Float64(data=-1.0))
    found = messages_of(tmp_path / 'bag')
    assert [message.data for message in found['/description']] == ['the robot']
    assert [message.data for message in found['/caused']] == list(range(100))


def test_what_came_just_before_the_end_is_recorded_and_counted(tmp_path, sender):
    """The end follows the message at once, so that no sweep comes between them."""
    publisher = sender.publisher('last')

    def ended() -> bool:
        if not publisher.get_subscription_count():
            return False
        publisher.publish(Float64(data=1.0))
        assert publisher.wait_for_all_acked(Duration(seconds=PATIENCE))
        return True

    done = record(tmp_path / 'bag', Selection(), domain=sender.domain, ended=ended)
    found = messages_of(tmp_path / 'bag')
    assert [message.data for message in found['/last']] == [1.0]
    assert done.count == sum(map(len, found.values()))


def test_who_promises_less_is_heard_as_well(tmp_path, sender):
    """A publisher of best effort, and one that joins a reliable one of the same topic."""
    weak = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
    alone, strong = sender.publisher('alone', quality=weak), sender.publisher('both')

    def send() -> None:
        heard(alone)
        heard(strong)
        alone.publish(Float64(data=1.0))
        joined = sender.publisher('both', quality=weak)
        heard(joined)
        joined.publish(Float64(data=2.0))

    found, _ = recorded(tmp_path / 'bag', sender, send)
    assert [message.data for message in found['/alone']] == [1.0]
    assert 2.0 in [message.data for message in found['/both']]


def test_what_an_action_feeds_back_is_recorded_and_what_it_keeps_to_itself_is_not(
    tmp_path, sender
):
    """A message of a type that is made of an .action file."""
    Feedback = ExecuteAction.Impl.FeedbackMessage
    publisher = sender.publisher(FEEDBACK, Feedback)
    hidden = sender.publisher('_mine')

    def send() -> None:
        heard(publisher)
        message = Feedback()
        message.feedback.sub_action, message.feedback.progress = 'step', 0.5
        publisher.publish(message)
        hidden.publish(Float64(data=1.0))

    found, _ = recorded(tmp_path / 'bag', sender, send)
    (message,) = found[FEEDBACK]
    assert (message.feedback.sub_action, message.feedback.progress) == ('step', 0.5)
    assert '/_mine' not in found


def test_only_what_is_wanted_is_recorded(tmp_path, sender):
    """By patterns, the first / of which may be left out."""
    names = ('camera/image', 'camera/info', 'imu', 'odom')
    publishers = [sender.publisher(name) for name in names]
    wanted = Selection(['imu', '/camera/*', 'nobody'], ['camera/info'])

    def send() -> None:
        heard(publishers[0])
        heard(publishers[2])
        for publisher in publishers:
            publisher.publish(Float64(data=1.0))

    found, _ = recorded(tmp_path / 'bag', sender, send, wanted)
    assert set(found) == {'/camera/image', '/imu'}
    assert wanted.unused == ['/nobody']


def test_a_topic_of_two_types_is_left_out_and_told(tmp_path, sender):
    """Nobody could say which one a message is of; the others are recorded."""
    other = Sender(sender.domain)
    other.publisher('twice', String)
    sender.publisher('twice')
    once = sender.publisher('once')

    def send() -> None:
        heard(once)
        once.publish(Float64(data=1.0))

    found, told = recorded(tmp_path / 'bag', sender, send)
    other.close()
    assert set(found) == {'/once'}
    assert told == ['/twice is left out: has 2 types: std_msgs/msg/Float64, std_msgs/msg/String']


def test_a_recording_that_cannot_begin_tells_the_program(tmp_path, sender):
    """If there is a bag already, which stays, or no message to record; then no bag is left."""
    path, domain = tmp_path / 'bag', sender.domain
    path.mkdir()
    with pytest.raises(BagError, match='exists already'), recording_to(path, domain=domain):
        pytest.fail('it begins')
    nothing = recording_to(tmp_path / 'none', domain=domain, timeout=0.3)
    with pytest.raises(SoftshellError, match=r'no message came within 0\.3 s'), nothing:
        pytest.fail('it begins')
    assert list(tmp_path.iterdir()) == [path]


def test_a_recording_that_fails_before_it_has_begun_leaves_no_bag(tmp_path, sender, monkeypatch):
    """Of whatever error; the same path can be used at once."""

    def fail(self) -> None:
        raise SoftshellError('the disk is gone')

    with monkeypatch.context() as patch:
        patch.setattr('softshell_recording.ros.record.Listener.sweep', fail)
        failing = recording_to(tmp_path / 'bag', domain=sender.domain)
        with pytest.raises(SoftshellError, match='the disk is gone'), failing:
            pytest.fail('it begins')
    assert list(tmp_path.iterdir()) == []


def test_a_duration_that_makes_no_sense_is_refused(tmp_path):
    for duration in (math.nan, -1.0):
        with pytest.raises(SoftshellError, match=f'duration is {duration:g} s; expected 0 s or'):
            record(tmp_path / 'bag', Selection(), duration=duration)
    assert not (tmp_path / 'bag').exists()


def test_a_domain_that_is_none_is_an_error_that_names_it(tmp_path, monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', 'abc')
    with pytest.raises(SoftshellError, match='variables: ROS_DOMAIN_ID is not an integral'):
        record(tmp_path / 'bag', Selection(), duration=0.0)


@pytest.mark.long
def test_an_error_of_the_program_ends_the_recording(tmp_path, sender):
    """It passes through, and the bag is whole."""
    sender.publisher('description', String, qos.LATCHED).publish(String(data='the robot'))
    with (
        pytest.raises(ZeroDivisionError),
        recording_to(tmp_path / 'bag', domain=sender.domain),
    ):
        raise ZeroDivisionError
    assert '/description' in messages_of(tmp_path / 'bag')
