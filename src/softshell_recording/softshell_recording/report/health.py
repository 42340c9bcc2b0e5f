"""What a bag tells of how well a robot was: pace, voltage, temperatures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softshell_control.motor_interfaces import temperatures_of
from softshell_kinematics.arrays import Array
from softshell_recording.assemble import time_of


@dataclass(frozen=True, eq=False)
class Health:
    """What diagnostics told, (samples,) each; NaN where it was not told.

    Args:
        times: [s].
        factor: simulated over wall time.
        temperature: of the hottest motor [°C].
        voltage: lowest [V].
    """

    times: Array
    factor: Array
    temperature: Array
    voltage: Array


@dataclass(frozen=True, eq=False)
class Temperatures:
    """Temperatures of motors.

    Args:
        joints: that they drive.
        times: (samples,) [s].
        values: (samples, joints) [°C]; NaN where it was not told.
    """

    joints: tuple[str, ...]
    times: Array
    values: Array


def read_health(messages: Sequence[Any]) -> Health | None:
    """Numbers of the control loop's entries in diagnostics; None without any."""
    times, rows = [], []
    for message in messages:
        for status in message.status:
            values = {entry.key: entry.value for entry in status.values}
            if 'real_time_factor' in values:
                times.append(time_of(message))
                keys = ('real_time_factor', 'highest temperature', 'voltage')
                rows.append([_number(values.get(key, '')) for key in keys])
    if not rows:
        return None
    return Health(np.array(times), *np.array(rows).T)


def read_temperatures(messages: Sequence[Any]) -> Temperatures | None:
    """What `dynamic_joint_states` tell, of the joints that they tell of; None without any."""
    rows: list[dict[str, float]] = [
        {name: value for name, value in temperatures_of(one).items() if np.isfinite(value)}
        for one in messages
    ]
    joints = tuple(dict.fromkeys(name for row in rows for name in row))
    if not joints:
        return None
    values = np.array([[row.get(name, np.nan) for name in joints] for row in rows])
    return Temperatures(joints, np.array([time_of(one) for one in messages]), values)


def _number(text: str) -> float:
    """The number that a text begins with; NaN if it does not."""
    match = re.match(r'[-+]?\d+(\.\d+)?', text)
    return float(match[0]) if match else float('nan')
