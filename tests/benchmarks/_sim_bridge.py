"""What the bridge does each control period, without ROS: a walk on commands."""

import time
from dataclasses import dataclass

import numpy as np
from _engine_walks import PERIOD, Targets

from softshell_control.gate import Command
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend

#: Control period [ns].
TICK = round(1e9 * PERIOD)
#: Ticks of a mean.
BLOCK = 25


@dataclass(frozen=True)
class Pace:
    """How fast a walk goes.

    Args:
        factor: times real time, as fast as possible.
        undisturbed: the same in that tenth of the time in which the processor was most its own.
        typical, late: median and 99th percentile of the time that a control period takes [ms].
        jitter: 99th percentile of how late a period began that was due in real time [ms].
    """

    factor: float
    undisturbed: float
    typical: float
    late: float
    jitter: float


def pace(robot: RobotModel, engine: str, plans: list[Targets], ticks: int, paced: int) -> Pace:
    """Walk.

    Args:
        robot: the robot.
        engine: name of the engine.
        plans: what it does.
        ticks: how many of its targets, at most.
        paced: how many of these are done in real time.
    """
    backend = SimBackend(robot, PERIOD, WorldSettings(engine=engine))
    measured, count = backend.reset(), len(robot.joints)
    backend.activate()
    values = np.concatenate([part.positions for part in plans])[:ticks]
    rates = np.concatenate([part.rates for part in plans])[:ticks]
    value, rate = measured.channels.copy(), np.zeros(len(measured.channels))
    times, lateness = [], []
    for tick, (position, speed) in enumerate(zip(values, rates, strict=True)):
        value[:count], rate[:count] = position, speed
        begin = time.perf_counter()
        backend.step(TICK * (tick + 1), Command(value, rate))
        times.append(time.perf_counter() - begin)
    backend.reset()
    backend.activate()
    start = time.perf_counter()
    for tick in range(min(paced, len(values))):
        due = start + PERIOD * tick
        time.sleep(max(due - time.perf_counter(), 0.0))
        lateness.append(time.perf_counter() - due)
        value[:count], rate[:count] = values[tick], rates[tick]
        backend.step(TICK * (tick + 1), Command(value, rate))
    backend.close()
    return Pace(
        PERIOD * len(times) / sum(times),
        1e3 * PERIOD / _percentile(_means(times), 10.0),
        _percentile(times, 50.0),
        _percentile(times, 99.0),
        _percentile(lateness, 99.0),
    )


def _means(times: list[float]) -> Array:
    """(blocks,) of blocks of times."""
    size = min(BLOCK, len(times))
    return np.array(times[: len(times) // size * size]).reshape(-1, size).mean(axis=1)


def _percentile(times: list[float] | Array, part: float) -> float:
    """Of times [s], in [ms]."""
    return 1e3 * float(np.percentile(times, part))
