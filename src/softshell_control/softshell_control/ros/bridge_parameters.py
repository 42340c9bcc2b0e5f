"""The parameters that every bridge has."""

from dataclasses import dataclass

from softshell_common.pace import FASTEST, REAL_TIME, SLOWEST
from softshell_common.ros.parameters import parameter
from softshell_control.channel import POSITION_MARGIN
from softshell_control.trajectories.follower import FollowerSettings
from softshell_description.command_rates import (
    ACCELERATION,
    LINEAR_ACCELERATION,
    VELOCITY_SCALE,
)


@dataclass(frozen=True)
class BridgeParameters:
    """Parameters of every bridge."""

    control_period: float = parameter(0.004, 'control period [s]', 0.001, 0.1)
    real_time_factor: float = parameter(
        REAL_TIME,
        'clock over wall time; 0: as fast as possible',
        SLOWEST,
        FASTEST,
        live=True,
        zero=True,
    )
    publish_divider: int = parameter(2, 'joint_states and odom each n-th control step', 1, 1000)
    goal_timeout: float = parameter(
        FollowerSettings.goal_timeout,
        'time after the end of a trajectory for the joints to arrive [s]',
        0.0,
        60.0,
    )
    command_timeout: float = parameter(
        FollowerSettings.command_timeout,
        'time after the end of a trajectory until the bridge holds [s]',
        0.0,
        60.0,
    )
    relax_timeout: float = parameter(
        FollowerSettings.relax_timeout,
        'time of holding after which the joints are released [s]; 0: never',
        0.1,
        1e6,
        zero=True,
    )
    acceleration_limit: float = parameter(
        ACCELERATION, 'largest acceleration of commands of joints that turn [rad/s^2]', 1.0, 1e5
    )
    linear_acceleration_limit: float = parameter(
        LINEAR_ACCELERATION,
        'largest acceleration of commands of joints that slide [m/s^2]',
        0.01,
        1e4,
    )
    velocity_scale: float = parameter(
        VELOCITY_SCALE, 'part of the speed of a motor that a command may ask for', 0.01, 1.0
    )
    position_margin: float = parameter(
        POSITION_MARGIN, 'part of the range that commands leave free at either end', 0.0, 0.45
    )
    stop_policy: str = parameter(
        'hold',
        'what the joints do after a fault or an emergency stop; servos also when the bridge ends: '
        'with hold they stay stiff and nobody watches them, with relax a standing robot sinks',
        choices=('hold', 'relax'),
    )
    activate: bool = parameter(True, 'drive the joints from the start, not only on ~/activate')
    publish_tf: bool = parameter(True, 'publish /tf and /tf_static')
    estimate_odom: bool = parameter(
        True, 'estimate where the base of a robot with legs is, from its joints and IMU'
    )
    footing: bool = parameter(
        False,
        'of a robot with legs: feet stop where they meet the ground early and reach down where '
        'they meet none, and the base stays level',
        live=True,
    )
    tf_rate: float = parameter(50.0, 'rate of /tf, on the clock of the stack [Hz]', 0.1, 1000.0)
