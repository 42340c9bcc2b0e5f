"""What was recorded, sent once more."""

import math
import threading
import time

import pytest
from bag_rig import NUMBER, STORE, TEXT, number, text, written
from rosbags.rosbag1 import Writer as OldWriter
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.context import Context  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.publisher import Publisher  # noqa: E402
from rclpy.qos import QoSProfile, ReliabilityPolicy  # noqa: E402
from std_msgs.msg import Float64, String  # noqa: E402

from softshell_bringup.domain import free_domain  # noqa: E402
from softshell_common.discovery import DISCOVERY  # noqa: E402
from softshell_common.ros import qos  # noqa: E402
from softshell_kinematics.errors import SoftshellError  # noqa: E402
from softshell_recording import bag as bags  # noqa: E402
from softshell_recording.bag import BagWriter, quality_of  # noqa: E402
from softshell_recording.definitions import Definitions  # noqa: E402
from softshell_recording.reading import opened  # noqa: E402
from softshell_recording.ros import replay as replaying  # noqa: E402
from softshell_recording.ros.replay import _senders, replay  # noqa: E402
from softshell_recording.selection import Selection  # noqa: E402
from softshell_recording.topic import Message, Topic  # noqa: E402

SECOND = 10**9
PATIENCE = 30.0  # [s] a safety net, no measure of anything
#: Takes what is sent without promises, and keeps all of a bag while this process is not run.
WEAK = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)


class Hearer:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.domain = free_domain()
        self._context = Context()
        rclpy.init(args=[], context=self._context, domain_id=self.domain)
        self.node = rclpy.create_node('hearer', context=self._context)
        self.heard: dict[str, list] = {}
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._running = True
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def hear(self, topic: Topic, kind, quality) -> None:
        heard = self.heard.setdefault(topic.name, [])
        self.node.create_subscription(
            kind,
            topic.name,
            lambda message: heard.append(message.data),
            quality,
        )

    def wait_for(self, topic: Topic, count: int) -> list:
        end = time.monotonic() + PATIENCE
        while len(self.heard[topic.name]) < count:
            assert time.monotonic() < end, self.heard
            time.sleep(0.01)
        return list(self.heard[topic.name])

    def _spin(self) -> None:
        while self._running:
            self._executor.spin_once(timeout_sec=0.05)

    def close(self) -> None:
        self._running = False
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()


@pytest.fixture
def hearer():
    hearer = Hearer()
    hearer.hear(NUMBER, Float64, WEAK)
    yield hearer
    hearer.close()


@pytest.fixture
def bag(tmp_path):
    """A text that was latched, and a number every tenth of a second for 2 s."""
    numbers = [number(float(k), k * SECOND // 10) for k in range(21)]
    return written(tmp_path / 'bag', [text('the robot', 0), *numbers])


class FakeTime:
    """A clock that goes on only by sleep, by `late` [s] more than it was asked for."""

    def __init__(self, late: float) -> None:
        self.now, self.late = 1000.0, late

    def monotonic(self) -> float:
        return self.now

    def sleep(self, duration: float) -> None:
        self.now += duration + self.late


@pytest.mark.parametrize('late', [0.0, 0.03])
@pytest.mark.parametrize('rate', [1.0, 4.0])
def test_messages_are_sent_as_far_apart_as_they_were(bag, monkeypatch, rate, late):
    """By the rate; never sooner, and the last one no later than any other."""
    clock, sent = FakeTime(late), []
    monkeypatch.setattr(replaying, 'time', clock)
    monkeypatch.setattr(
        Publisher, 'publish', lambda self, data: sent.append((self.topic, clock.now))
    )
    assert replay(bag, Selection(), rate=rate, domain=free_domain()) == 22
    (begin,) = [when for topic, when in sent if topic == TEXT.name]
    assert begin == 1000.0 + DISCOVERY + late
    times = [when - begin for topic, when in sent if topic == NUMBER.name]
    assert len(times) == 21
    for k, when in enumerate(times):
        assert -1e-9 <= when - 0.1 * k / rate <= late + 1e-9


@pytest.mark.parametrize('rate', [1.0, 4.0])
def test_all_messages_come_in_order_and_no_faster(bag, hearer, rate):
    begin = time.monotonic()
    assert replay(bag, Selection(), rate=rate, domain=hearer.domain) == 22
    assert time.monotonic() - begin >= DISCOVERY + 2.0 / rate
    assert hearer.wait_for(NUMBER, 21) == list(range(21))


def test_who_joins_late_gets_what_was_latched_as_then(bag, hearer):
    """It is offered so, and also if it was sent before the start."""

    def join(now: float, end: float) -> None:
        if now > 1.5 and TEXT.name not in hearer.heard:
            hearer.hear(TEXT, String, qos.LATCHED)
            assert hearer.wait_for(TEXT, 1) == ['the robot']

    assert replay(bag, Selection(), start=1.0, domain=hearer.domain, progress=join) == 12
    assert hearer.wait_for(NUMBER, 11) == list(range(10, 21))
    assert hearer.wait_for(TEXT, 1) == ['the robot']


def test_what_was_latched_before_the_start_is_sent_if_nothing_follows(bag, hearer):
    """As of a topic with one message at the beginning, chosen alone."""
    hearer.hear(TEXT, String, qos.LATCHED)
    assert replay(bag, Selection(['text']), start=1.0, domain=hearer.domain) == 1
    assert hearer.wait_for(TEXT, 1) == ['the robot']


def test_only_what_is_wanted_is_sent(bag, hearer):
    hearer.hear(TEXT, String, qos.LATCHED)
    assert replay(bag, Selection(['text']), rate=10.0, domain=hearer.domain) == 1
    assert hearer.wait_for(TEXT, 1) == ['the robot']
    assert hearer.heard[NUMBER.name] == []


def test_it_ends_when_it_is_told(bag, hearer):
    """In the middle of a pause as well."""
    begin = time.monotonic()
    ended = threading.Event()
    threading.Timer(2.0, ended.set).start()
    assert replay(bag, Selection(), rate=0.01, domain=hearer.domain, ended=ended.is_set) < 4
    assert time.monotonic() - begin < PATIENCE


def test_where_others_send_nothing_is_sent(bag, hearer):
    """The error names the topic and who they are."""
    hearer.node.create_publisher(Float64, NUMBER.name, qos.STATE)
    with pytest.raises(
        SoftshellError, match='/number is published by /hearer; expected no other publisher'
    ):
        replay(bag, Selection(), domain=hearer.domain)
    assert hearer.heard[NUMBER.name] == []


def test_a_type_that_is_not_installed_is_left_out(tmp_path, hearer):
    """Its definition was, where it was recorded; the rest is sent."""
    (tmp_path / 'mine' / 'msg').mkdir(parents=True)
    (tmp_path / 'mine' / 'msg' / 'Thing.msg').write_text('float64 x')
    path, told = tmp_path / 'bag', []
    with BagWriter(path, Definitions([tmp_path])) as writer:
        writer.write(Message(Topic('/thing', 'mine/msg/Thing'), 0, bytes(12)))
        writer.write(number(1.0, SECOND))
    assert replay(path, Selection(), domain=hearer.domain, tell=told.append) == 1
    assert told == ['/thing is left out: mine/msg/Thing is not installed']


def test_what_no_topic_of_ros_may_be_called_is_left_out(tmp_path, hearer):
    """As of programs without ROS; the rest is sent."""
    one, told = number(1.0, 0), []
    strange = Message(Topic('/left-leg', NUMBER.kind), 1, one.data)
    path = written(tmp_path / 'bag', [one, strange])
    assert replay(path, Selection(), domain=hearer.domain, tell=told.append) == 1
    assert told == ["'/left-leg' is left out: ROS has no topics of such names"]


@pytest.mark.long
@pytest.mark.parametrize('plugin', ['MCAP', 'SQLITE3'])
def test_a_bag_without_promises_is_sent_as_nodes_send_by_default(tmp_path, hearer, plugin):
    """As other writers leave it."""
    kind = STORE.types['std_msgs/msg/Float64'].__msgtype__
    path = tmp_path / 'bag'
    with Writer(path, version=9, storage_plugin=StoragePlugin[plugin]) as writer:
        connection = writer.add_connection(NUMBER.name, kind, typestore=STORE)
        for k in range(3):
            writer.write(connection, k * SECOND // 10, number(float(k), 0).data)
    assert replay(path, Selection(), domain=hearer.domain) == 3
    assert hearer.wait_for(NUMBER, 3) == [0.0, 1.0, 2.0]


def test_what_cannot_be_sent_is_told(tmp_path):
    """An empty bag, one of ROS 1, one that is damaged."""
    empty = written(tmp_path / 'empty', [])
    with pytest.raises(SoftshellError, match='empty holds no messages'):
        replay(empty, Selection())
    store, old = get_typestore(Stores.ROS1_NOETIC), tmp_path / 'old.bag'
    with OldWriter(old) as writer:
        connection = writer.add_connection('/chat', 'std_msgs/msg/String', typestore=store)
        message = store.types['std_msgs/msg/String']('x')
        writer.write(connection, 1, store.serialize_ros1(message, 'std_msgs/msg/String'))
    with pytest.raises(SoftshellError, match=r'old.bag is a bag of ROS 1; expected one of ROS 2'):
        replay(old, Selection())
    whole = written(tmp_path / 'whole', [text('x' * 100, k) for k in range(2000)])
    content = bytearray((whole / 'whole.mcap').read_bytes())
    third = len(content) // 3
    content[third : third + 200] = b'\xff' * 200
    (tmp_path / 'damaged.mcap').write_bytes(content)
    with pytest.raises(SoftshellError, match=r'damaged.mcap is damaged: '):
        replay(tmp_path / 'damaged.mcap', Selection(), rate=1e9, domain=free_domain())


@pytest.mark.parametrize(
    ('arguments', 'problem'),
    [
        ({'wanted': Selection(['nothing'])}, 'none of its 2 topics is chosen'),
        ({'wanted': Selection(), 'start': 3.0}, r'start is 3 s; expected less than 2\.0 s'),
        ({'wanted': Selection(), 'start': math.nan}, 'start is nan s; expected less than'),
        ({'wanted': Selection(), 'rate': math.nan}, 'rate is nan; expected more than 0'),
        ({'wanted': Selection(), 'rate': 0.0}, 'rate is 0; expected more than 0'),
    ],
)
def test_what_makes_no_sense_is_refused(bag, arguments, problem):
    with pytest.raises(SoftshellError, match=problem):
        replay(bag, **arguments)


def test_a_domain_that_is_none_is_an_error_that_names_it(bag, monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', 'abc')
    with pytest.raises(SoftshellError, match='variables: ROS_DOMAIN_ID is not an integral'):
        replay(bag, Selection())


@pytest.mark.parametrize(
    ('kind', 'latched', 'live'),
    [
        ('nav_msgs/msg/Odometry', False, qos.STATE),
        ('softshell_interfaces/msg/BridgeStatus', True, qos.CHANGES),
        ('sensor_msgs/msg/Image', False, qos.PICTURES),
        ('sensor_msgs/msg/PointCloud2', False, qos.PICTURES),
    ],
)
def test_a_player_keeps_as_many_messages_for_slow_subscribers_as_the_stack(kind, latched, live):
    assert quality_of(Topic('/any', kind, latched=latched)).depth == live.depth


def test_a_player_keeps_as_many_of_an_older_bag(tmp_path, hearer, monkeypatch):
    """Which says that it kept ten of everything."""
    with monkeypatch.context() as older:
        older.setattr(bags, 'STREAM_DEPTH', 10)
        path = written(tmp_path / 'older', [number(1.0, 0)])
    with opened(path, print) as reader:
        (promise,) = reader.connections[0].ext.offered_qos_profiles
        (sender,) = _senders(hearer.node, reader.connections, print).values()
    assert (promise.depth, sender.qos_profile.depth) == (10, qos.STATE.depth)
