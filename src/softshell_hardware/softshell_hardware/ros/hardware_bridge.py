"""The bridge to servos, as a node."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rclpy.node import Node

from softshell_common.ros.parameters import parameter
from softshell_common.ros.qos import SERVICE
from softshell_common.ros.run import run
from softshell_control.backend import StopPolicy
from softshell_control.ros.bridge_node import BridgeNode
from softshell_control.ros.bridge_parameters import BridgeParameters
from softshell_control.ros.requests import carry_out
from softshell_description.model import RobotModel
from softshell_hardware.hardware_backend import HardwareBackend
from softshell_hardware.ros.imu_input import ImuInput
from softshell_hardware.wiring.config import EMULATED_WATCHDOG, HardwareConfig, load_hardware
from softshell_interfaces.srv import RebootServo
from softshell_kinematics.errors import SoftshellError

#: Longest wait for the ports of emulated servos [s].
PATIENCE = 60.0


@dataclass(frozen=True)
class HardwareParameters(BridgeParameters):
    """Parameters of the bridge to servos."""

    control_period: float = parameter(
        0.02, 'control period [s]; each servo is read every few of them', 0.004, 0.1
    )
    publish_divider: int = parameter(1, 'joint_states and odom each n-th control step', 1, 1000)
    wiring: str = parameter(
        '',
        'file of servos; empty: config/hardware/<robot>.yaml, or hardware.yaml in the folder of '
        'a robot of your own',
    )
    emulated_ports: str = parameter(
        '', 'folder with the ports of emulated servos; empty: the ports of the wiring'
    )
    speed: float = parameter(
        1.0,
        'part of its largest speed that the robot may use',
        0.05,
        1.0,
        live=True,
    )
    tracking_error: float = parameter(
        0.0, 'largest tracking error [rad]; 0: that of the wiring', 0.0, 3.0, live=True
    )
    imu_topic: str = parameter('imu/data', 'topic of the driver of an IMU')


class HardwareBridge(BridgeNode):
    """A bridge whose backend listens to an IMU, and whose servos can be restarted."""

    def __init__(self) -> None:
        super().__init__(self._make_backend, lambda robot: HardwareParameters)
        self.create_service(RebootServo, '~/reboot_servo', self._reboot, qos_profile=SERVICE)

    def _make_backend(self, robot: RobotModel, parameters: HardwareParameters) -> HardwareBackend:
        config = load_hardware(robot, Path(parameters.wiring) if parameters.wiring else None)
        if parameters.emulated_ports:
            config = emulated(config, Path(parameters.emulated_ports))
        clock, policy = _clock_of(self), StopPolicy(parameters.stop_policy)
        # Who gives the time waits for this loop: a slow computer reads as many servos as others.
        hurried = not self.get_parameter('use_sim_time').value
        self._backend = HardwareBackend(
            robot, config, parameters.control_period, policy, clock, hurried
        )
        self._backend.apply(parameters)
        self._backend.imu = ImuInput(self, robot, parameters.imu_topic, clock).latest
        return self._backend

    def _reboot(self, request: Any, response: Any) -> Any:
        done = carry_out(
            self, self._core, 'reboot_servo', lambda: self._backend.reboot(request.joint)
        )
        response.success, response.message = done
        return response


def _clock_of(node: Node) -> Any:
    """The clock of the stack [ns]: wall time, or with `use_sim_time` that of `/clock`."""
    if node.get_parameter('use_sim_time').value:
        clock = node.get_clock()
        return lambda: clock.now().nanoseconds
    return time.monotonic_ns


def emulated(config: HardwareConfig, folder: Path) -> HardwareConfig:
    """The same servos on the ports in a folder, once these are there.

    Raises:
        SoftshellError: they are not there within `PATIENCE`.
    """
    ports = {name: str(folder / name) for name in config.buses if config.on_bus(name)}
    end = time.monotonic() + PATIENCE
    while missing := [path for path in ports.values() if not Path(path).exists()]:
        if time.monotonic() > end:
            raise SoftshellError(
                f'no {missing[0]} within {PATIENCE:g} s; expected emulated servos there'
            )
        time.sleep(0.02)
    return config.at(ports, watchdog=EMULATED_WATCHDOG)


def main() -> int:
    """Entry point."""
    # The control loop must not wait 5 ms for a callback to let go of the interpreter.
    sys.setswitchinterval(0.001)
    return run(HardwareBridge)
