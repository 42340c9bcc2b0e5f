"""Further seeds of a search, and bounds that are lifted for a while."""

import math

import numpy as np

from softshell_kinematics.kernels.bundles import Chain, Floats
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.work import (
    LOCKED,
    LOWER,
    PERIOD,
    SEED_LOWER,
    SEED_UPPER,
    UPPER,
    Q,
)

#: Square roots of 64 primes: strides of a low-discrepancy (Kronecker) sequence, one per variable.
STRIDES = np.sqrt(
    np.array([float(p) for p in range(2, 312) if all(p % divisor for divisor in range(2, p))])
)
#: How far beyond its limits a variable may turn in a search without limits [rad].
FURTHER_TURNS = 100.0 * 2.0 * math.pi


@compiled
def spread(number: int, variable: int) -> float:
    """One number of a fixed sequence that fills [0, 1) evenly; 64 variables have one each."""
    value: float = 0.5 + number * STRIDES[variable % STRIDES.size]
    return value - math.floor(value)


@compiled
def into_bounds(n: int, work: Floats) -> None:
    """Move Q within bounds."""
    for i in range(n):
        work[Q, i] = min(max(work[Q, i], work[LOWER, i]), work[UPPER, i])


@compiled
def find_periods(chain: Chain, work: Floats) -> None:
    """Write to PERIOD the change of each variable after which the tip's pose repeats.

    It is 2π for variables that only turn joints, each by a whole multiple, and 0 for all others.
    """
    for i in range(chain.n):
        work[PERIOD, i] = 2.0 * math.pi
    for row in range(chain.first, chain.last):
        multiplier = chain.numbers[row, 12]
        if chain.codes[row, 0] != 0 or multiplier != math.floor(multiplier):
            work[PERIOD, chain.codes[row, 1]] = 0.0


@compiled
def turn_into_bounds(n: int, work: Floats) -> bool:
    """Move Q into bounds by whole periods where possible; returns whether all of it is within."""
    within = True
    for i in range(n):
        value, period = work[Q, i], work[PERIOD, i]
        if period > 0.0 and work[LOCKED, i] == 0.0:
            if value < work[LOWER, i]:
                value += period * math.ceil((work[LOWER, i] - value) / period)
            elif value > work[UPPER, i]:
                value -= period * math.ceil((value - work[UPPER, i]) / period)
            work[Q, i] = value
        within = within and work[LOWER, i] <= value <= work[UPPER, i]
    return within


@compiled
def take_seed(n: int, restart: int, work: Floats) -> None:
    """Write a further seed to Q, by its number; locked variables keep their values."""
    for i in range(n):
        if work[LOCKED, i] == 0.0:
            low, high = work[LOWER, i], work[UPPER, i]
            if high - low > work[SEED_UPPER, i] - work[SEED_LOWER, i]:
                low, high = work[SEED_LOWER, i], work[SEED_UPPER, i]
            value = low + (high - low) * spread(restart, i)
            work[Q, i] = min(max(value, work[LOWER, i]), work[UPPER, i])


@compiled
def lift_bounds(n: int, work: Floats) -> None:
    """Move the bounds of variables with a period far out."""
    for i in range(n):
        if work[LOCKED, i] == 0.0 and work[PERIOD, i] > 0.0:
            work[LOWER, i] -= FURTHER_TURNS
            work[UPPER, i] += FURTHER_TURNS
