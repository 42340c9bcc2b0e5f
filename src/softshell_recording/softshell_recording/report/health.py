"""What a bag holds of a robot's condition: real-time factor, voltage, temperatures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softshell_control.motor_interfaces import HOTTEST, VOLTAGE, temperatures_of
from softshell_kinematics.arrays import Array
from softshell_recording.assemble import time_of


@dataclass(frozen=True, eq=False)
class Health:
    """Figures from diagnostics, (samples,) each; NaN where one was not published.

    Args:
        times: [s].
        factor: simulated over wall time.
        temperature: of the hottest motor [°C].
        voltage: lowest of all motors [V].
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
        values: (samples, joints) [°C]; NaN where one was not published.
    """

    joints: tuple[str, ...]
    times: Array
    values: Array


def read_health(messages: Sequence[Any]) -> Health | None:
    """The figures in messages of diagnostics; None if there are none."""
    times, rows = [], []
    for message in messages:
        for status in message.status:
            values = {entry.key: entry.value for entry in status.values}
            if 'real_time_factor' in values:
                times.append(time_of(message))
                keys = ('real_time_factor', HOTTEST, VOLTAGE)
                rows.append([_number(values.get(key, '')) for key in keys])
    if not rows:
        return None
    return Health(np.array(times), *np.array(rows).T)


def read_temperatures(messages: Sequence[Any]) -> Temperatures | None:
    """The temperatures in messages of `dynamic_joint_states`; None if there are none."""
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
    """The number at the beginning of a text; NaN if there is none."""
    match = re.match(r'[-+]?\d+(\.\d+)?', text)
    return float(match[0]) if match else float('nan')
