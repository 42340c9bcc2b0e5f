"""The bridge to a simulated world, as a node."""

import sys
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any

from softshell_common.ros.parameters import parameter
from softshell_common.ros.run import run
from softshell_control.ros.bridge_parameters import BridgeParameters
from softshell_description.model import RobotModel
from softshell_sim.physics.engines import ENGINES, engine_of
from softshell_sim.pybullet.quietly import be_quiet
from softshell_sim.ros.sim_node import SimBridgeNode
from softshell_sim.scenes.scene_file import read_scene
from softshell_sim.sensing.sensor_settings import SensorSettings, load_sensors
from softshell_sim.settings import PD_FORMS, WorldSettings
from softshell_sim.sim_backend import SimBackend


@dataclass(frozen=True)
class SimParameters(BridgeParameters):
    """Parameters of the simulation's bridge, without the gains, which depend on the robot."""

    engine: str = parameter(
        '', "physics engine; empty: the robot's own, or the first there is", choices=('', *ENGINES)
    )
    physics_step: float = parameter(WorldSettings.physics_step, 'physics step [s]', 1e-4, 0.01)
    gui: bool = parameter(WorldSettings.gui, 'show the world in a window')
    kinematic: bool = parameter(
        False, 'put the joints where they are commanded to be, without physics', live=True
    )
    stabilise: bool = parameter(
        False, 'watch all bodies, and correct those whose motion is unstable', live=True
    )
    scene_file: str = parameter('', 'scene file: bodies that the world begins with')
    follow: bool = parameter(WorldSettings.follow, 'let the camera of the window follow the robot')
    self_collision: bool = parameter(
        WorldSettings.self_collision, 'let parts of the robot collide with each other'
    )
    gravity: float = parameter(
        WorldSettings.gravity, 'acceleration of free fall, downwards [m/s^2]', 0.0, 30.0, live=True
    )
    friction: float = parameter(WorldSettings.friction, 'between floor and robot', 0.0, 10.0)
    restitution: float = parameter(WorldSettings.restitution, 'between floor and robot', 0.0, 1.0)
    padding: float = parameter(
        WorldSettings.padding, 'layer round the robot where contact begins [m]', 0.0, 0.02
    )
    seed: int = parameter(WorldSettings.seed, 'seed of the noise of all sensors', 0, 2**31 - 1)
    sensors_file: str = parameter('', 'YAML file with settings of the sensors; empty: exact')
    pd: str = parameter(
        WorldSettings.pd,
        'integration of the PD control: implicit is stable with any gains',
        choices=PD_FORMS,
    )


#: Unit of each gain, by that of the joint's position.
GAIN_UNITS = {
    'kp': {'rad': 'N m/rad', 'm': 'N/m'},
    'kd': {'rad': 'N m s/rad', 'm': 'N s/m'},
    'ki': {'rad': 'N m/(rad s)', 'm': 'N/(m s)'},
}


def sim_parameters(robot: RobotModel) -> type[SimParameters]:
    """The parameters for a robot: `SimParameters`, and live `kp_`, `kd_` and `ki_<group>`."""
    fields: list[tuple[str, type, Any]] = []
    for name, group in robot.groups.items():
        units = sorted({robot.joints[robot.index(joint)].unit for joint in group.joints})
        for gain, unit_of in GAIN_UNITS.items():
            default = getattr(group.gains, gain)
            unit = ' or '.join(unit_of[u] for u in units)
            text = f'{gain} of the joints of group {name} [{unit}]'
            field = parameter(default, text, 0.0, max(1e3, 10.0 * default), live=True)
            fields.append((f'{gain}_{name}', float, field))
    return make_dataclass('SimParameters', fields, bases=(SimParameters,), frozen=True)


def make_backend(robot: RobotModel, parameters: SimParameters) -> SimBackend:
    """The simulated robot in its start pose.

    Raises:
        SoftshellError: a file of the parameters does not fit, or the engine does not start.
    """
    if parameters.gui:
        be_quiet()  # otherwise PyBullet prints a line about every thread of its window
    file = parameters.sensors_file
    settings = WorldSettings(
        engine=parameters.engine or engine_of(robot),
        physics_step=parameters.physics_step,
        gravity=parameters.gravity,
        friction=parameters.friction,
        restitution=parameters.restitution,
        padding=parameters.padding,
        self_collision=parameters.self_collision,
        gui=parameters.gui,
        scene=read_scene(parameters.scene_file) if parameters.scene_file else (),
        follow=parameters.follow,
        seed=parameters.seed,
        sensors=load_sensors(Path(file), robot) if file else SensorSettings(),
        pd=parameters.pd,
    )
    backend = SimBackend(robot, parameters.control_period, settings)
    backend.apply(parameters)
    return backend


def main() -> int:
    """Entry point."""
    # The control loop must not wait for Python's usual 5 ms until a callback releases the GIL.
    sys.setswitchinterval(0.001)
    return run(lambda: SimBridgeNode(make_backend, kind=sim_parameters))
