"""A bridge of a robot on emulated servos, in steps of a time of its own."""

import tempfile
import time
from pathlib import Path

import softshell_hardware.bus.bus as bus
from softshell_control.backend import StopPolicy
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity
from softshell_description.load import load_robot
from softshell_hardware.emulator.robot import EmulatedRobot
from softshell_hardware.hardware_backend import HardwareBackend
from softshell_hardware.wiring.config import load_hardware

PERIOD = 0.02
#: What is not there after so long never comes [ms].
LOST = 20_000.0


class InStepPort(bus.Port):
    """A host's port that waits for an emulated one as long as anything may come, and no longer.

    Whether a servo is silent is then no question of how busy the machine is. Only answers that
    are late on purpose are a matter of time.
    """

    def __init__(self, path, patience):
        super().__init__(path, patience)
        self._other = next((port for port in PORTS if port.path == path), None)
        self._sent = 0 if self._other is None else self._other.taken

    def writePort(self, packet):  # noqa: N802 - the SDK's name
        # A guardian may have said something on the same line.
        self._sent = max(self._sent, self._other.taken if self._other else 0) + len(packet)
        return super().writePort(packet)

    def closePort(self):  # noqa: N802 - the SDK's name
        # What nobody answers is on its way still: whoever opens the port next counts from there.
        end = time.monotonic() + 1.0
        other = self._other
        while other and other.plugged and other.taken < self._sent and time.monotonic() < end:
            time.sleep(0.0005)
        super().closePort()

    def isPacketTimeout(self):  # noqa: N802 - the SDK's name
        other = self._other
        if other is None or not other.plugged or other.bus.faults.late:
            return super().isPacketTimeout()
        is_on_its_way = other.taken < self._sent or self.ser.in_waiting
        if is_on_its_way and self.getTimeSinceStart() < LOST:
            return False
        with other.lock:
            other.bus.gap()  # what is incomplete stays so, as after a real wait
        return True


bus.Port = InStepPort
#: The emulated ports that there are.
PORTS = []


def wiring_text(robot, family, **protection):
    """A wiring of a robot with servos of a family, ids in the order of its joints."""
    model = {'ax': 'AX-12A', 'x': 'XM430-W210'}[family]
    rows = [
        f'  {name}: {{id: {place + 1}, model: {model}, direction: {(-1) ** place}, offset: 0.0}}'
        for place, name in enumerate(robot.joint_names)
    ]
    limits = [f'  {name}: {value}' for name, value in protection.items()]
    return '\n'.join(
        [f'robot: {robot.name}', f'buses: {{body: {{family: {family}}}}}', 'joints:', *rows]
        + (['protection:', *limits] if limits else [])
    )


class HardwareRig:
    """A bridge of a robot on emulated servos; a tick is a control period for both.

    Args:
        robot: name of the robot, or the robot.
        path: of the wiring; None: that of the robot.
        physics: whether a simulated world moves the joints.
        policy: what a stop does.

    Attributes:
        now: that nobody sets [ns].
        ahead: how far the clock of the bridge is before it [ns].
    """

    def __init__(
        self, robot='arm', path=None, physics=False, period=PERIOD, policy=StopPolicy.HOLD
    ):
        self.robot = load_robot(robot) if isinstance(robot, str) else robot
        wiring = load_hardware(self.robot, path)
        # By links: an adapter that comes back gets any number that is free on the machine.
        self._links = tempfile.TemporaryDirectory()
        self.emulated = EmulatedRobot(self.robot, wiring, physics, folder=Path(self._links.name))
        self._ports = list(self.emulated.ports.values())
        PORTS.extend(self._ports)
        paths = {name: port.path for name, port in self.emulated.ports.items()}
        self.config = wiring.at(paths, slack=0.004)
        self.now, self.ahead = 0, 0
        self.backend = HardwareBackend(
            self.robot, self.config, period, clock=lambda: self.now, hurried=False
        )
        self.limits = limits_of(self.robot)
        self.period = period
        try:
            settings = FollowerSettings()
            self.core = BridgeCore(self.backend, self.limits, period, settings, policy)
        except BaseException:
            self.close()
            raise
        self.reports = []
        self.offered = 0

    def close(self):
        self.backend.close()
        self.emulated.close()
        for port in self._ports:
            PORTS.remove(port)
        self._links.cleanup()

    def run(self, ticks=1):
        reports = []
        for _ in range(ticks):
            self.emulated.step(self.period)
            self.now += round(1e9 * self.period)
            reports += self.core.tick(self.now + self.ahead)
        self.reports += reports
        return reports

    def offer(self, goals, duration=1.0):
        """Offer a trajectory to some joints; returns its identity."""
        self.offered += 1
        identity = Identity('tester', self.offered.to_bytes(16, 'big'))
        request = Request(identity, 0, list(goals), [duration], [list(goals.values())], [[]])
        self.core.offer(check_trajectory(request, self.limits.names))
        return identity

    def states(self, identity):
        return [s.goal.state.name for s in self.reports if s.goal.identity == identity]

    @property
    def reasons(self):
        return [str(reason) for reason in self.core.status().reasons]
