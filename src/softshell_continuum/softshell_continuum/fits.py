"""Fits of parameters to measurements, with standard errors and residuals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, least_squares

from softshell_continuum.checks import refuse_no_number
from softshell_kinematics.arrays import Array, as_numbers, is_number
from softshell_kinematics.errors import SoftshellError

#: Relative step of a parameter for the derivatives of a model.
DIFFERENCE = 1e-5
#: Singular value of the derivatives, divided by the largest, below which the measurements do not
#: determine a combination of parameters; least share of a parameter in such a combination.
UNKNOWN = 1e-6


@dataclass(frozen=True, eq=False)
class LineFit:
    """A proportion between two measured quantities.

    Attributes:
        first, second: (n,) as measured.
        slope: second per first, by least squares through the origin.
        deviation: standard error of the slope; infinite for one measurement, which has no spread.
    """

    first: Array
    second: Array
    slope: float
    deviation: float

    @property
    def residuals(self) -> Array:
        """(n,) second quantity: measured minus fitted."""
        left: Array = self.second - self.slope * self.first
        return left


def proportion(first: ArrayLike, second: ArrayLike) -> LineFit:
    """Fit second = slope · first: forces by deflections, moments by pressures.

    Args:
        first, second: (n,) measured together, finite.

    Raises:
        SoftshellError: they are no such arrays, or all values of the first are 0.
    """
    x, y = as_numbers(first, 'first'), as_numbers(second, 'second')
    if x.shape != y.shape or x.ndim != 1 or not np.isfinite([x, y]).all() or not (x != 0).any():
        raise SoftshellError(
            f'measured: {x.tolist()} and {y.tolist()}; expected as many numbers of both, all '
            'finite, and the first not all 0'
        )
    slope = float(x @ y / (x @ x))
    residuals = y - slope * x
    variance = _variance(residuals, 1)
    return LineFit(x, y, slope, float(np.sqrt(variance / (x @ x))))


def _variance(residuals: Array, parameters: int) -> float:
    """Of single measurements, by residuals (n,); infinite where no measurement is to spare."""
    freedom = len(residuals) - parameters
    return float(residuals @ residuals) / freedom if freedom > 0 else np.inf


@dataclass(frozen=True, eq=False)
class RootFit:
    """A parameter at which a model gives what was measured.

    Attributes:
        value: of the parameter.
        measured: result that was measured.
        residual: result of the model minus that.
        tried: (trials, 2) values of the parameter that were tried, and results of the model.
    """

    value: float
    measured: float
    residual: float
    tried: Array


def root(
    model: Callable[[float], float], measured: float, bracket: Sequence[float], name: str = 'value'
) -> RootFit:
    """The parameter at which a model gives a measured value, e.g. a modulus by a deflection.

    By Brent's method, on a logarithmic scale: a parameter is positive.

    Args:
        model: gives a result for a value of the parameter.
        measured: result that it is to give.
        bracket: two positive values of the parameter, one on either side.
        name: of the parameter, for messages.

    Raises:
        SoftshellError: the bracket is not two positive numbers, the measured value is not between
            the results at its ends, a result between them is NaN, or one or the measured value is
            not a number.
    """
    ends = list(bracket) if np.iterable(bracket) else [bracket]
    if len(ends) != 2 or not all(is_number(end) and 0.0 < end < np.inf for end in ends):
        raise SoftshellError(
            f'{name} is sought from {" to ".join(map(str, ends))}; expected finite numbers '
            'above 0, two of them'
        )
    refuse_no_number('the measured value', measured)
    tried: dict[float, float] = {}

    def excess(logarithm: float) -> float:
        value = float(np.exp(logarithm))
        result = model(value)
        refuse_no_number(f'result of the model for {name} {value:g}', result)
        tried[value] = result
        if len(tried) > len(ends) and np.isnan(tried[value]):
            raise SoftshellError(f'{name} of {value:g} gives {tried[value]}; expected a number')
        return tried[value] - measured

    low, high = np.log(ends[0]), np.log(ends[1])
    off = excess(low), excess(high)
    # The product of two that are small would be 0.
    if not np.sign(off[0]) * np.sign(off[1]) <= 0.0:
        raise SoftshellError(
            f'{name} from {ends[0]:g} to {ends[1]:g} gives {off[0] + measured:g} to '
            f'{off[1] + measured:g}; expected a range that contains the measured {measured:g}'
        )
    found = float(brentq(excess, low, high, xtol=1e-13))
    left = excess(found)
    return RootFit(float(np.exp(found)), measured, left, np.array(sorted(tried.items())))


@dataclass(frozen=True, eq=False)
class ModelFit:
    """Parameters at which a model comes nearest to all measurements.

    Attributes:
        values: of the parameters, by name.
        deviations: standard errors, by name; infinite for a parameter that the measurements do
            not determine, and for all if there are no more measurements than parameters.
        measured, modelled: (n,) measurements, and results of the model.
        converged: whether a minimum was found.
    """

    values: dict[str, float]
    deviations: dict[str, float]
    measured: Array
    modelled: Array
    converged: bool

    @property
    def residuals(self) -> Array:
        """(n,) measured minus modelled."""
        left: Array = self.measured - self.modelled
        return left


def fit(
    model: Callable[[dict[str, float]], ArrayLike],
    measured: ArrayLike,
    start: Mapping[str, float],
) -> ModelFit:
    """Fit positive parameters by least squares, e.g. moduli to recorded tips under loads.

    Args:
        model: gives results of any shape (...,), in any units, for parameters by name.
        measured: (...,) results of the same shape and units; their errors are taken as equally
            large.
        start: a first guess of each parameter.

    Returns:
        What was found, even if the search did not end at a minimum.

    Raises:
        SoftshellError: there is no guess, or one is not positive; there are fewer measurements
            than parameters, or one of them is not finite; results have another shape, or are not
            finite at the first guess or where derivatives are taken; or any are not numbers.
    """
    given = as_numbers(measured, 'measured')
    wanted = np.ravel(given)
    names, guess = tuple(start), as_numbers(list(start.values()), 'first guesses')
    if not names or not (np.isfinite(guess) & (guess > 0.0)).all():
        raise SoftshellError(f'first guesses are {dict(start)}; expected numbers above 0')
    if len(wanted) < len(names) or not np.isfinite(wanted).all():
        raise SoftshellError(
            f'measured: {wanted.tolist()}; expected {len(names)} finite numbers or more, as many '
            f'as {", ".join(names)}'
        )
    begin = np.log(guess)

    def left(logarithms: Array, needed: bool = False) -> Array:
        values = dict(zip(names, np.exp(logarithms).tolist(), strict=True))
        results = as_numbers(model(values), 'results of the model')
        # From a trial step where the model gives no finite numbers, the search goes back.
        needed = needed or np.array_equal(logarithms, begin)
        _refuse_unfit(results, given.shape, values, needed)
        excess: Array = np.ravel(results) - wanted
        return excess

    def slopes(logarithms: Array) -> Array:
        # The steps of `least_squares` itself would be in proportion to the logarithms.
        steps = DIFFERENCE * np.eye(len(names))
        pairs = [(left(logarithms + step, True), left(logarithms - step, True)) for step in steps]
        return np.column_stack([(up - down) / (2.0 * DIFFERENCE) for up, down in pairs])

    found = least_squares(left, begin, slopes, xtol=1e-12, ftol=1e-12, gtol=1e-12)
    values = np.exp(found.x)
    errors = values * np.sqrt(_variances(found.jac, _variance(found.fun, len(names))))
    return ModelFit(
        dict(zip(names, values.tolist(), strict=True)),
        dict(zip(names, errors.tolist(), strict=True)),
        wanted, wanted + found.fun, bool(found.status > 0),
    )  # fmt: skip


def _refuse_unfit(
    results: Array, shape: tuple[int, ...], values: Mapping[str, float], needed: bool
) -> None:
    """Check results of a model.

    Args:
        results: of the model.
        shape: of what was measured.
        values: of the parameters, by name.
        needed: whether the results have to be finite.

    Raises:
        SoftshellError: they have another shape, or are needed and not finite.
    """
    if results.shape != shape:
        raise SoftshellError(
            f'the model gives results of shape {results.shape}; expected {shape}, that of what '
            'was measured'
        )
    if needed and not np.isfinite(results).all():
        raise SoftshellError(
            f'the model gives {np.ravel(results).tolist()} for {values}; expected finite numbers'
        )


def _variances(slopes: Array, variance: float) -> Array:
    """(parameters,) diagonal of (Jᵀ J)⁻¹ σ²; infinite for a parameter that J does not determine.

    Args:
        slopes: (n, parameters) J, derivatives of the results by the parameters.
        variance: σ² of single measurements.
    """
    _, sizes, ways = np.linalg.svd(slopes, full_matrices=False)
    known = sizes > UNKNOWN * sizes[0]
    variances: Array = variance * ((ways[known] / sizes[known, None]) ** 2).sum(axis=0)
    variances[(np.abs(ways[~known]) > UNKNOWN).any(axis=0)] = np.inf
    return variances
