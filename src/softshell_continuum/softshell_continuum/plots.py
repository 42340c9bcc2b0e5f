"""Plots of calibrations: recordings, fits and residuals.

matplotlib is imported only when one is drawn.
"""

from typing import TYPE_CHECKING

import numpy as np

from softshell_continuum.fits import ModelFit, RootFit
from softshell_continuum.recordings import Calibrated

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def calibration_plot(found: Calibrated) -> 'Figure':
    """The recording of `found` with the line fitted to it, and below that the residuals."""
    figure, (upper, lower) = _two_rows()
    line, (first, second) = found.fit, found.recorded
    ends = np.array([min(0.0, line.first.min()), max(0.0, line.first.max())])
    upper.plot(line.first, line.second, 'o', label='recorded')
    upper.plot(ends, line.slope * ends, label=str(found))
    upper.set_ylabel(second)
    upper.legend()
    lower.plot(line.first, line.residuals, 'o')
    _finish(lower, first)
    return figure


def root_plot(found: RootFit, parameter: str, result: str) -> 'Figure':
    """Results of a model over its parameter, and where they meet the measured one.

    Args:
        found: fit by root finding.
        parameter, result: names of both, with units.
    """
    figure, (upper, lower) = _two_rows()
    values, gave = found.tried.T
    upper.semilogx(values, gave, 'o-', markersize=4, label='model')
    upper.axhline(found.measured, color='C1', label='measured')
    upper.axvline(found.value, color='C2', linestyle=':', label=f'{found.value:.5g}')
    upper.set_ylabel(result)
    upper.legend()
    lower.loglog(values, np.maximum(np.abs(gave - found.measured), 1e-18), 'o')
    lower.set_xlabel(parameter)
    lower.set_ylabel('off by')
    return figure


def fit_plot(found: ModelFit, measured: str) -> 'Figure':
    """Measurements over the results of a model, and below that the residuals.

    Args:
        found: fit by least squares.
        measured: name of what was measured, with its unit.
    """
    figure, (upper, lower) = _two_rows()
    ends = [found.modelled.min(), found.modelled.max()]
    upper.plot(found.modelled, found.measured, 'o', label='measured')
    text = ', '.join(
        f'{name} {value:.4g} ± {found.deviations[name]:.2g}'
        for name, value in found.values.items()
    )
    upper.plot(ends, ends, label=text)
    upper.set_ylabel(measured)
    upper.legend()
    lower.plot(found.modelled, found.residuals, 'o')
    _finish(lower, 'by the model')
    return figure


def _two_rows() -> 'tuple[Figure, tuple[Axes, Axes]]':
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 5.0), layout='constrained')
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for axes in (upper, lower):
        axes.grid(alpha=0.3)
    return figure, (upper, lower)


def _finish(lower: 'Axes', first: str) -> None:
    lower.axhline(0.0, color='C1')
    lower.set_xlabel(first)
    lower.set_ylabel('left over')
