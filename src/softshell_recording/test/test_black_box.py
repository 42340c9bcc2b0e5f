"""The black box on messages that make trouble; the stack's own are tested in tests/faults."""

import signal
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from rosbags.highlevel import AnyReader  # noqa: E402

from softshell_bringup.domain import free_domain  # noqa: E402
from softshell_common.ros import qos  # noqa: E402
from softshell_interfaces.msg import BridgeStatus, ReasonCode  # noqa: E402
from softshell_recording.handover import DATED  # noqa: E402
from softshell_recording.ros import black_box  # noqa: E402
from softshell_recording.ros.black_box import BlackBox  # noqa: E402

#: [s] a safety net, no measure of anything.
PATIENCE = 60.0


class Rig:
    """A black box that writes at once, and its bridge."""

    def __init__(self, folder: Path) -> None:
        arguments = ['--ros-args', '-p', f'folder:={folder}', '-p', 'after:=0.0']
        rclpy.init(args=arguments, domain_id=free_domain())
        self.folder, self.box = folder, BlackBox()
        self._publisher = self.box.create_publisher(BridgeStatus, 'bridge_status', qos.CHANGES)

    def say(self, mode: int, *codes: int) -> None:
        self._publisher.publish(BridgeStatus(mode=mode, codes=codes))

    def spin(self, enough) -> None:
        """Spin until it is enough."""
        end = time.monotonic() + PATIENCE
        while not enough():
            assert time.monotonic() < end
            rclpy.spin_once(self.box, timeout_sec=0.05)

    def bags(self) -> list[list[int]]:
        """The modes in each bag that is whole."""
        bags = []
        for path in sorted(self.folder.glob('*/metadata.yaml')):
            with AnyReader([path.parent]) as reader:
                bags.append([reader.deserialize(m, c.msgtype).mode for c, _, m in reader.messages(
                    [one for one in reader.connections if one.topic == '/bridge_status']
                )])  # fmt: skip
        return bags


@pytest.fixture
def rig(tmp_path):
    before = signal.getsignal(signal.SIGUSR1)
    rig = Rig(tmp_path / 'boxes')
    yield rig
    rig.box.destroy_node()
    rclpy.shutdown()
    signal.signal(signal.SIGUSR1, before)


def test_a_mode_of_a_newer_version_keeps_no_fault_from_being_written(rig):
    rig.say(9)
    rig.spin(rig.box.is_ending)  # it has heard the bridge
    rig.say(BridgeStatus.FAULT)
    rig.spin(rig.bags)
    assert rig.bags() == [[9, BridgeStatus.FAULT]]


def test_a_fault_while_an_earlier_one_is_being_written_has_a_bag_of_its_own(rig, monkeypatch):
    """Although both are of the same second, and the folder of the first is not there yet."""
    paths = []

    def begin(path, messages, most):
        paths.append(path)
        return SimpleNamespace(poll=lambda: None)

    monkeypatch.setattr(black_box, 'begin_writing', begin)
    monkeypatch.setattr(time, 'strftime', lambda form: '2026-01-02-030405')
    rig.say(BridgeStatus.FAULT)
    rig.spin(lambda: paths)
    rig.say(BridgeStatus.INACTIVE)
    rig.say(BridgeStatus.FAULT, ReasonCode.ENDING)
    rig.spin(lambda: not rig.box.is_ending())  # it has heard the last
    rig.box.close()
    first, second = paths
    assert first == rig.folder / '2026-01-02-030405'
    assert second != first
    assert DATED.fullmatch(second.name)


def test_a_fault_that_was_over_before_it_began_is_not_written(rig, monkeypatch):
    """The bridge keeps its last reports for late joiners."""
    paths = []

    def begin(path, messages, most):
        paths.append(path)
        return SimpleNamespace(poll=lambda: None)

    monkeypatch.setattr(black_box, 'begin_writing', begin)
    for mode in (BridgeStatus.HOLDING, BridgeStatus.FAULT, BridgeStatus.HOLDING):
        rig.say(mode)
    first, rig.box = rig.box, BlackBox()
    topic = '/bridge_status'
    kept = rig.box._memory.messages
    rig.spin(lambda: sum(one.topic.name == topic for one in kept()) == 3)
    assert not rig.box.is_ending()  # it has heard nothing of now
    rig.say(BridgeStatus.HOLDING)
    rig.spin(rig.box.is_ending)
    rig.box._look()
    assert paths == []
    first.destroy_node()
