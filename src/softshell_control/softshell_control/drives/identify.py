"""Parameters of a servo, from how it followed a step.

The joint turns, and is taken to be alone, with a known inertia I and no load but friction:

    I θ̈ = clamp(kp (θd(t − T) − θ) − kd θ̇, ± effort) − friction,

with dry friction that holds the joint at rest up to its amount. kd is the sum of control's and
viscous friction: a recorded position does not tell them apart. The parameters minimise the sum of
the squares of the position's error; standard errors follow from the Jacobian there, for errors
that are independent from sample to sample.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from scipy.optimize import least_squares, minimize

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError

#: Steps of the model within the usual time between two samples, and most of them in a record.
FINENESS, MOST_STEPS = 8, 200_000
#: Fewest samples that make a record.
FEWEST = 10
#: First size of the search's simplex, as a part of each parameter.
SIMPLEX = 0.3
#: Step of differences, in parameters of about 1. Of a direction in which the error changes by less
#: than this part of the most, the record does not tell anything.
DIFFERENCE, UNKNOWN = 1e-4, 1e-8
#: Columns of a file.
COLUMNS = ('time', 'command', 'position')


@dataclass(frozen=True, eq=False)
class StepRecord:
    """A joint that turns, was at rest, and then followed a command.

    Args:
        time: (samples,) increasing [s].
        command: (samples,) target, which stays until the next [rad].
        position: (samples,) measured, the first at rest [rad].

    Raises:
        ProblemsError: everything that is wrong with the numbers.
    """

    time: Array
    command: Array
    position: Array

    def __post_init__(self) -> None:
        count, problems = len(self.time), []
        if count < FEWEST:
            problems.append(f'there are {count} samples; expected {FEWEST} or more')
        for name in COLUMNS:
            values = getattr(self, name)
            if values.shape != (count,):
                problems.append(f'{name} has {len(values)} samples; expected {count}, as time has')
            elif not np.isfinite(values).all():
                where = int(np.argmin(np.isfinite(values)))
                problems.append(f'{name} is {values[where]} in sample {where}; expected a number')
        if not problems and not (np.diff(self.time) > 0.0).all():
            where = int(np.argmax(np.diff(self.time) <= 0.0)) + 1
            problems.append(f'time does not increase at sample {where}; expected that it does')
        if not problems and np.ptp(self.command) == 0.0 == self.command[0] - self.position[0]:
            problems.append('the command never leaves the position; expected a step')
        elif not problems and np.ptp(self.position) == 0.0:
            problems.append('the position never changes; expected a joint that follows')
        if problems:
            raise ProblemsError('record of a step', problems)


@dataclass(frozen=True, eq=False)
class Identified:
    """The parameters that were found.

    Args:
        names, units, values, errors: of each parameter, its value and its standard error, which
            is infinite where the record does not tell the parameter.
        residual: root of the mean square of the position's error [rad].
        fitted: (samples,) position of the model [rad].
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    errors: Array
    residual: float
    fitted: Array

    def __getitem__(self, name: str) -> float:
        """The value of a parameter."""
        return float(self.values[self.names.index(name)])

    def table(self) -> str:
        """One line for each parameter, and the residual."""
        rows = zip(self.names, self.values, self.errors, self.units, strict=True)
        lines = [
            f'{name:13} {value:10.5g} ± {error:.2g} {unit}' for name, value, error, unit in rows
        ]
        return '\n'.join([*lines, f'{"residual":13} {self.residual:10.3g} rad'])


NAMES = ('kp', 'kd', 'dry_friction', 'delay')
UNITS = ('N m/rad', 'N m s/rad', 'N m', 's')


def read_record(path: Path) -> StepRecord:
    """Read a record from a CSV file with the columns time, command and position.

    Args:
        path: of the file; times are in [s], positions in [rad].

    Raises:
        SoftshellError: the file cannot be read; the text says what was expected.
        ProblemsError: everything that is wrong with its numbers.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            data: np.ndarray[Any, Any] = np.genfromtxt(
                path, delimiter=',', names=True, dtype=np.float64
            )
    except (OSError, ValueError, UserWarning, StopIteration) as error:
        text = ' '.join(str(error).split())
        raise SoftshellError(
            f'{path}: {text}; expected a CSV file with the columns {", ".join(COLUMNS)}'
        ) from None
    found = data.dtype.names or ()
    missing = [name for name in COLUMNS if name not in found]
    if missing:
        raise SoftshellError(
            f'{path}: there is no column {", ".join(missing)}; expected {", ".join(COLUMNS)} in '
            'the first line'
        )
    time, command, position = (np.atleast_1d(data)[name] for name in COLUMNS)
    return StepRecord(time, command, position)


def identify(record: StepRecord, inertia: float, effort: float = np.inf) -> Identified:
    """Find the parameters of a servo.

    Args:
        record: how it followed.
        inertia: that the motor moves, with that of the rotor [kg m^2].
        effort: largest effort of the motor [N m].

    Raises:
        SoftshellError: inertia is not above 0 and finite, or effort not above 0.
    """
    for name, value in (('inertia', inertia), ('effort', effort)):
        if not value > 0.0:
            raise SoftshellError(f'{name} is {value:g}; expected more than 0')
    if np.isinf(inertia):
        raise SoftshellError(f'inertia is {inertia:g}; expected a finite number')
    grid = _Grid.of(record)
    scale = _guess(record, inertia)

    span = record.time[-1] - record.time[0]
    highest = np.array([inertia / grid.step**2, inertia / grid.step, np.inf, span])

    def error(part: Array) -> Array:
        return grid.simulate(part * scale, inertia, effort) - record.position

    starts = [
        np.minimum([stiff, damped * stiff**0.5, rough, late], 0.9 * highest / scale)
        for stiff in (0.3, 1.0, 3.0)
        for damped in (0.5, 1.5)
        for rough in (0.3, 2.0, 6.0)
        for late in (0.3, 1.0)
    ]
    # Where and when friction stops a joint gives the error many local minima. A simplex steps over
    # them; least squares goes on from the best point that it found.
    best = min((_search(error, start, highest / scale) for start in starts), key=_squares(error))
    slopes = _slopes(error, highest / scale)
    found = least_squares(error, best, slopes, bounds=(0.0, highest / scale), x_scale='jac')
    count = len(record.time)
    variance = float(np.sum(found.fun**2)) / max(count - len(scale), 1)
    spread = _inverse_diagonal(found.jac) * variance
    return Identified(
        NAMES,
        UNITS,
        found.x * scale,
        np.sqrt(spread) * scale,
        float(np.sqrt(np.mean(found.fun**2))),
        record.position + found.fun,
    )


def _slopes(error: Callable[[Array], Array], highest: Array) -> Callable[[Array], Array]:
    """How an error, (samples,), changes with each parameter: (samples, parameters)."""

    def slopes(part: Array) -> Array:
        # Not by a share of the parameter alone: of one that is 0 that would be no step.
        steps = DIFFERENCE * np.maximum(part, 1.0)
        steps = np.where(part + steps > highest, -steps, steps)
        here = error(part)
        return np.stack(
            [(error(part + step) - here) / step.sum() for step in np.diag(steps)], axis=1
        )

    return slopes


def _inverse_diagonal(slopes: Array) -> Array:
    """(n,) diagonal of the inverse of `slopes.T @ slopes`; infinite where it has none."""
    _, sizes, axes = np.linalg.svd(slopes, full_matrices=False)
    known = sizes > UNKNOWN * sizes[0]
    share = (axes / np.where(known, sizes, 1.0)[:, None]) ** 2
    open_ways = (np.abs(axes[~known]) > UNKNOWN).any(axis=0)
    return np.where(open_ways, np.inf, share[known].sum(axis=0))


def _squares(error: Callable[[Array], Array]) -> Callable[[Array], float]:
    return lambda part: float(np.sum(error(part) ** 2))


def _search(error: Callable[[Array], Array], start: Array, highest: Array) -> Array:
    """The parameters with the least error near a start, by Nelder and Mead's simplex (1965)."""
    squares = _squares(error)

    def cost(part: Array) -> float:
        inside = np.clip(part, 0.0, highest)
        return squares(inside) + squares(inside) * float(np.sum((part - inside) ** 2))

    corners = np.vstack([start, start + SIMPLEX * np.diag(start)])
    options = {'initial_simplex': corners, 'xatol': 1e-4, 'fatol': 1e-9, 'maxiter': 1000}
    found = minimize(cost, start, method='Nelder-Mead', options=options)
    return np.asarray(np.clip(found.x, 0.0, 0.999 * highest))


def _guess(record: StepRecord, inertia: float) -> Array:
    """Parameters of about the right size, from the time at which half of the way is done."""
    away = np.abs(record.position - record.position[0])
    begin = record.time[int(np.argmax(record.command != record.position[0]))]
    half = record.time[int(np.argmax(away >= 0.5 * away.max()))]
    rise = max(float(half - begin), np.diff(record.time).min())
    # An undamped oscillation has done half of its mean way at ω t = π/3 = 1.05.
    frequency = 1.05 / rise
    kp = inertia * frequency**2
    return np.array([kp, inertia * frequency, 0.03 * kp * away.max(), 0.3 * rise])


@dataclass(frozen=True, eq=False)
class _Grid:
    """Even steps of the model, and the record's commands on them."""

    record: StepRecord
    step: float
    time: Array
    command: Array

    @classmethod
    def of(cls, record: StepRecord) -> '_Grid':
        span = record.time[-1] - record.time[0]
        # Not by the shortest: of a record by wall time, two samples may be microseconds apart.
        step = max(float(np.median(np.diff(record.time))) / FINENESS, span / MOST_STEPS)
        time = record.time[0] + step * np.arange(math.ceil(span / step) + 2)
        last = np.searchsorted(record.time, time + 0.5 * step, side='right') - 1
        return cls(record, step, time, record.command[last])

    def simulate(self, parameters: Array, inertia: float, effort: float) -> Array:
        """(samples,) position of the model."""
        kp, kd, friction, delay = parameters
        start = self.record.position[0]
        path = _simulate(self.command, start, kp, kd, friction, inertia, effort, self.step)
        # From rest, a late command gives a late motion, which changes smoothly with the delay. As
        # the speed is changed before the position, the model is half a step ahead.
        late = np.interp(self.record.time - delay, self.time + 0.5 * self.step, path)
        return np.asarray(late, dtype=np.float64)


@njit(cache=True)
def _simulate(
    command: Array,
    start: float,
    kp: float,
    kd: float,
    friction: float,
    inertia: float,
    effort: float,
    step: float,
) -> Array:
    path = np.empty(len(command))
    position, velocity, most = start, 0.0, effort / inertia * step
    faded = max(kd * step / inertia, 1e-9)
    part = (1.0 - math.exp(-faded)) / faded / inertia * step
    for k in range(len(command)):
        path[k] = position
        # As if the damping acted on its own during a step: exact, however strong it is.
        gain = (kp * (command[k] - position) - kd * velocity) * part
        velocity += min(max(gain, -most), most)
        # In a step dry friction takes all of the speed, or its share.
        taken = min(abs(velocity), friction / inertia * step)
        velocity -= taken if velocity > 0.0 else -taken
        position += velocity * step
    return path
