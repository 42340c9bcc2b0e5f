"""Emulated servos as a node: ports for a bridge, an IMU, the truth, and faults by service."""

import contextlib
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

from nav_msgs.msg import Odometry
from rclpy.clock import Clock as RosClock
from rclpy.clock import ClockType
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState

from softshell_common.pace import FASTEST, REAL_TIME, SLOWEST
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.qos import SERVICE, STATE
from softshell_common.ros.run import run
from softshell_control.backend import Measured
from softshell_control.joint_map import JointMap
from softshell_control.pacing import Pacer
from softshell_control.ros.messages import set_stamp
from softshell_control.ros.streams import ImuMessage, JointStateMessage, OdometryMessage
from softshell_description.ros.robot_parameter import declare_robot
from softshell_hardware.emulator.catalogue import read_fault
from softshell_hardware.emulator.faults import read_value
from softshell_hardware.emulator.host import Host
from softshell_hardware.emulator.robot import EmulatedRobot
from softshell_hardware.wiring.config import load_hardware
from softshell_interfaces.srv import InjectFault
from softshell_kinematics.errors import SoftshellError
from softshell_sim.settings import WorldSettings

#: Time that passes at once for servos and world [s].
TICK = 0.004
#: Ticks between two messages of the IMU and of the truth.
DIVIDER = 2


@dataclass(frozen=True)
class EmulatorParameters:
    """Parameters of the emulated servos."""

    wiring: str = parameter(
        '',
        'file of servos; empty: config/hardware/<robot>.yaml, or hardware.yaml in the folder of '
        'a robot of your own',
    )
    folder: str = parameter('', 'where a link to each port is made; empty: nowhere')
    physics: bool = parameter(True, 'a simulated world moves the joints')
    publish_clock: bool = parameter(False, 'publish the time of the world as /clock')
    real_time_factor: float = parameter(
        REAL_TIME, 'time of the world over wall time', SLOWEST, FASTEST
    )
    lead: float = parameter(
        0.02, 'with publish_clock: control period of the bridge; time waits for it [s]', 0.004, 0.1
    )
    faults: str = parameter('', 'faults from the start on: WHERE:FAULT=VALUE, separated by spaces')
    friction: float = parameter(WorldSettings.friction, 'between floor and robot', 0.0, 10.0)


class ServoEmulator(Node):
    """Emulated servos of a robot, in a thread that lets their time pass."""

    def __init__(self) -> None:
        super().__init__('servo_emulator')
        robot = declare_robot(self)
        settings = declare(self, EmulatorParameters)
        wiring = load_hardware(robot, Path(settings.wiring) if settings.wiring else None)
        self._folder = Path(settings.folder) if settings.folder else None
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
        self.emulated = EmulatedRobot(
            robot, wiring, settings.physics, WorldSettings(friction=settings.friction),
            self._folder,
        )  # fmt: skip
        for where, fault, value in map(read_fault, settings.faults.split()):
            self.get_logger().info(self.emulated.inject(where, fault, value))
        self._owns_time = settings.publish_clock
        self._host = Host(self.emulated, settings.lead)
        self._pacer = Pacer(TICK, settings.real_time_factor)
        self._clock_publisher = (
            self.create_publisher(Clock, '/clock', STATE) if self._owns_time else None
        )
        self._clock_message = Clock()
        self._fills: list[tuple[Any, Any]] = []
        if settings.physics:
            base = robot.base.link
            joints = JointStateMessage(JointMap.of(robot).names)
            self._fills = [
                (self.create_publisher(kind, topic, STATE), stream)
                for kind, topic, stream in (
                    (Imu, 'imu/data', ImuMessage(base)),
                    (Odometry, 'ground_truth/odom', OdometryMessage(base)),
                    (JointState, 'ground_truth/joint_states', joints),
                )
            ]
        self.create_service(InjectFault, '~/inject', self._inject, qos_profile=SERVICE)
        for name, port in self.emulated.ports.items():
            self.get_logger().info(
                f'bus {name!r}: {len(port.bus.servos)} servos answer on {port.path}'
            )
        self._problem: Exception | None = None
        self.create_timer(0.2, self._watch, clock=RosClock(clock_type=ClockType.STEADY_TIME))
        self._stop = Event()
        self._thread = Thread(target=self._run, name='world', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End servos and ports."""
        self._stop.set()
        self._thread.join(timeout=5.0)
        self.emulated.close()
        if self._folder is not None:
            with contextlib.suppress(OSError):  # something else is in it
                self._folder.rmdir()

    def _watch(self) -> None:
        """Bring an error of the world to the main thread, where it ends the process.

        Raises:
            SoftshellError: the world ended with an error.
        """
        if self._problem is not None:
            raise SoftshellError(f'the world ended: {self._problem!r}') from self._problem

    def _run(self) -> None:
        ticks = now = 0
        try:
            while not self._stop.is_set() and self.context.ok():
                if self._owns_time and self._host.is_late(now):
                    time.sleep(0.0005)
                    continue
                self.emulated.step(TICK)
                ticks += 1
                now = round(ticks * TICK * 1e9)
                if self._clock_publisher is not None:
                    set_stamp(self._clock_message.clock, now)
                    self._clock_publisher.publish(self._clock_message)
                if ticks % DIVIDER == 0:
                    self._publish(now)
                self._pacer.wait()
        except Exception as error:
            if not self._stop.is_set():
                self._problem = error

    def _publish(self, now: int) -> None:
        measured: Measured | None = self.emulated.measured
        if measured is None:
            return
        measured.stamp = now if self._owns_time else self.get_clock().now().nanoseconds
        for publisher, stream in self._fills:
            publisher.publish(stream.fill(measured))

    def _inject(
        self, request: InjectFault.Request, response: InjectFault.Response
    ) -> InjectFault.Response:
        try:
            value = read_value(request.value)
            response.message = self.emulated.inject(request.where, request.fault, value)
            response.success = True
            self.get_logger().info(response.message)
        except SoftshellError as error:
            response.message = str(error)
        return response


def main() -> int:
    """Entry point."""
    # The port's thread must not wait 5 ms for the world's to let go of the interpreter.
    sys.setswitchinterval(0.0005)
    return run(ServoEmulator)
