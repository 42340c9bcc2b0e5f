"""The bridge to the PyBullet world, as a node."""

import sys
from dataclasses import dataclass

from softshell_common.parameters import parameter
from softshell_common.run import run
from softshell_control.bridge_node import BridgeNode, BridgeParameters
from softshell_description.model import RobotModel
from softshell_sim.settings import DEFAULT_GAINS, Gains, WorldSettings
from softshell_sim.sim_backend import PyBulletBackend


def _gain(group: str, name: str):
    unit = {'kp': '[N m/rad]', 'kd': '[N m s/rad]'}[name]
    default = getattr(DEFAULT_GAINS[group], name)
    return parameter(default, f'{name} of the joints of group {group} {unit}', 0.0, 1e3, live=True)


@dataclass(frozen=True)
class SimParameters(BridgeParameters):
    """Parameters of the simulation's bridge."""

    physics_step: float = parameter(0.001, 'physics step [s]', 1e-4, 0.01)
    gui: bool = parameter(False, 'show the world in a window')
    seed: int = parameter(0, 'of everything random in the world', 0, 2**31 - 1)
    self_collision: bool = parameter(False, 'parts of the robot collide with each other')
    friction: float = parameter(1.0, 'of floor and robot; the two multiply', 0.0, 10.0)
    kp_fold: float = _gain('fold', 'kp')
    kd_fold: float = _gain('fold', 'kd')
    kp_lower: float = _gain('lower', 'kp')
    kd_lower: float = _gain('lower', 'kd')
    kp_upper: float = _gain('upper', 'kp')
    kd_upper: float = _gain('upper', 'kd')


def gains_of(parameters: SimParameters) -> dict[str, Gains]:
    """PD gains by group of joints."""
    return {
        'fold': Gains(parameters.kp_fold, parameters.kd_fold),
        'lower': Gains(parameters.kp_lower, parameters.kd_lower),
        'upper': Gains(parameters.kp_upper, parameters.kd_upper),
    }


def make_backend(robot: RobotModel, parameters: SimParameters) -> PyBulletBackend:
    """The simulated robot in its idle pose."""
    settings = WorldSettings(
        physics_step=parameters.physics_step,
        friction=parameters.friction,
        self_collision=parameters.self_collision,
        gui=parameters.gui,
        seed=parameters.seed,
        gains=gains_of(parameters),
    )
    return PyBulletBackend(robot, parameters.control_period, settings)


def apply(backend: PyBulletBackend, parameters: SimParameters) -> None:
    """Take parameters that were set while running."""
    backend.set_gains(gains_of(parameters))


def main() -> int:
    """Entry point."""
    # The control loop must not wait 5 ms for a callback to let go of the interpreter.
    sys.setswitchinterval(0.001)
    return run(lambda: BridgeNode(make_backend, SimParameters, apply))
