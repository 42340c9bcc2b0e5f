"""Plots of a study: a metric over the parameters."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_studies.report.runs import Runs, means_of, over_repeats

#: Most pairs of parameters in contour plots, most lines in parallel coordinates, contour levels.
MOST_PAIRS, MOST_LINES, LEVELS = 6, 600, 14
#: A parameter with at most so many different values is drawn as one axis of a grid.
GRID = 40
#: Most plots in a row, and the size of one [inches].
ACROSS, SIZE = 3, (3.6, 3.0)
COLOURS = 'viridis'
#: Of texts that are values: dollars in them are no formula.
PLAIN: dict[str, Any] = {'parse_math': False}


def effects(runs: Runs, metric: str) -> Figure:
    """Plots of a metric over each parameter: all runs, and their means."""
    values = runs.metric(metric)
    figure, plots = _plots(len(runs.parameters))
    for axes, (path, column) in zip(plots, runs.parameters.items(), strict=False):
        if column.dtype.kind == 'f':
            axes.plot(column, values, '.', color='0.75', markersize=4)
            x = column
        else:
            names, x = np.unique(column, return_inverse=True)
            axes.plot(x, values, '.', color='0.75', markersize=4)
            axes.set_xticks(range(len(names)), names, rotation=30, fontsize=8, **PLAIN)
        levels, means = _means(np.asarray(x, dtype=float), values)
        axes.plot(levels, means, 'o-', color='tab:blue', markersize=4)
        axes.set(xlabel=path, ylabel=metric)
        _scale(axes, runs, path)
        axes.grid(alpha=0.3)
    return figure


def contours(runs: Runs, metric: str, paths: Sequence[str]) -> Figure | None:
    """Contour plots of a metric over pairs of parameters, averaged over all other parameters.

    Args:
        runs: of the study.
        metric: its name.
        paths: of parameters, the most important first.

    Returns:
        The figure; None if there are fewer than two parameters.
    """
    pairs = list(itertools.combinations(paths, 2))[:MOST_PAIRS]
    if not pairs:
        return None
    values = runs.metric(metric)
    figure, plots = _plots(len(pairs))
    for axes, (one, other) in zip(plots, pairs, strict=False):
        x, y = runs.parameters[one], runs.parameters[other]
        image = _gridded(axes, x, y, values)
        if image is None:
            image = _scattered(axes, x, y, values)
        if image is not None:
            figure.colorbar(image, ax=axes)
        axes.set(xlabel=one, ylabel=other, title=metric)
        _scale(axes, runs, one, other)
    return figure


def parallel(runs: Runs, metric: str) -> Figure | None:
    """Parallel coordinates: one line for each point of the study, coloured by the metric.

    Returns:
        The figure; None if no point has numbers for the metric and all numeric parameters.
    """
    first, means = over_repeats(runs, runs.metric(metric))
    numbers = [v[first] for v in runs.parameters.values() if v.dtype.kind == 'f']
    known = np.flatnonzero(np.all([np.isfinite(each) for each in (means, *numbers)], axis=0))
    if not len(known):
        return None
    if len(known) > MOST_LINES:
        known = known[np.linspace(0, len(known) - 1, MOST_LINES).astype(int)]
    known = known[np.argsort(means[known])]
    columns = {path: values[first][known] for path, values in runs.parameters.items()}
    columns[metric] = means[known]
    figure = Figure(figsize=(max(6.0, 1.8 * len(columns)), 4.2), layout='constrained')
    axes = figure.add_subplot()
    scaled, ends = [], []
    for values in columns.values():
        part, low, high = _scaled(values)
        scaled.append(part)
        ends.append((low, high))
    lines = np.array(scaled).T
    shades = colormaps[COLOURS](_scaled(means[known])[0])
    for line, shade in zip(lines, shades, strict=True):
        axes.plot(line, color=shade, alpha=0.6, linewidth=1.0)
    for place, (low, high) in enumerate(ends):
        axes.axvline(place, color='0.3', linewidth=0.8)
        axes.text(place, -0.04, low, ha='center', va='top', fontsize=8, **PLAIN)
        axes.text(place, 1.04, high, ha='center', va='bottom', fontsize=8, **PLAIN)
    axes.set_xticks(range(len(columns)), list(columns), fontsize=9)
    axes.tick_params(axis='x', pad=18)
    axes.set(yticks=[], ylim=(-0.1, 1.12))
    return figure


def outcomes(runs: Runs, label: str, paths: Sequence[str]) -> Figure | None:
    """A plot of where a label is true, over the first two parameters.

    Args:
        runs: of the study.
        label: its name.
        paths: of parameters, the most important first.

    Returns:
        The figure; None if there are fewer than two parameters.
    """
    if len(paths) < 2:
        return None
    figure = Figure(figsize=(5.4, 4.2), layout='constrained')
    axes = figure.add_subplot()
    x, y = (runs.parameters[path] for path in paths[:2])
    has = runs.labels[label]
    for rows, colour, mark, name in (
        (has & ~runs.failed, 'tab:green', 'o', label),
        (~has & ~runs.failed, 'tab:orange', 'x', f'not {label}'),
        (runs.failed, 'tab:red', '*', 'failed'),
    ):
        if rows.any():
            axes.scatter(x[rows], y[rows], c=colour, marker=mark, s=24, label=name)
    axes.set(xlabel=paths[0], ylabel=paths[1], title=label)
    _scale(axes, runs, *paths[:2])
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    return figure


def _scale(axes: Axes, runs: Runs, x: str, y: str = '') -> None:
    """Make the axes of parameters logarithmic whose values are spread by equal factors."""
    for path, name, shown in ((x, 'x', axes.xaxis), (y, 'y', axes.yaxis)):
        axis = runs.manifest['study']['parameters'].get(path) or {}
        if axis.get('scale') == 'log' or axis.get('log_uniform'):
            axes.set(**{f'{name}scale': 'log'})
            shown.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            shown.set_major_formatter(StrMethodFormatter('{x:g}'))
            shown.set_minor_formatter(NullFormatter())


def _plots(count: int) -> tuple[Figure, list[Axes]]:
    """A figure with so many empty plots, in rows."""
    across = min(count, ACROSS)
    rows = -(-count // across)
    figure = Figure(figsize=(SIZE[0] * across, SIZE[1] * rows), layout='constrained')
    plots = np.atleast_1d(figure.subplots(rows, across, squeeze=False)).ravel().tolist()
    for axes in plots[count:]:
        axes.set_axis_off()
    return figure, plots[:count]


def _means(x: Array, values: Array) -> tuple[Array, Array]:
    """Means of `values` at each different x; if these are many, over ten equally full intervals.

    Returns:
        (levels,) x of each mean, and (levels,) means.
    """
    known = np.isfinite(values) & np.isfinite(x)
    x, values = x[known], values[known]
    levels = np.unique(x)
    if len(levels) > min(GRID, max(len(x) / 3, 10)):
        edges = np.quantile(x, np.linspace(0.0, 1.0, 11))
        group = np.clip(np.searchsorted(edges, x, side='right') - 1, 0, 9)
        levels = 0.5 * (edges[1:] + edges[:-1])
    else:
        group = np.searchsorted(levels, x)
    return levels, means_of(group, values, len(levels))


def _gridded(axes: Axes, x: Array, y: Array, values: Array) -> Any:
    """Draw contours over a grid; returns None if the points are no grid."""
    finite = np.isfinite(x) & np.isfinite(y)
    x, y, values = x[finite], y[finite], values[finite]
    across, up = np.unique(x), np.unique(y)
    if not 1 < len(across) <= GRID or not 1 < len(up) <= GRID:
        return None
    known = np.isfinite(values)
    cell = np.searchsorted(up, y[known]) * len(across) + np.searchsorted(across, x[known])
    means = means_of(cell, values[known], len(up) * len(across))
    table = means.reshape(len(up), len(across))
    if np.isfinite(table).mean() < 0.5:
        return None
    if min(table.shape) < 3 or np.isnan(table).any() or np.ptp(table) == 0.0:
        return axes.pcolormesh(across, up, table, shading='nearest', cmap=COLOURS)
    lines = axes.contourf(across, up, table, LEVELS, cmap=COLOURS)
    axes.plot(*np.meshgrid(across, up), '.', color='k', markersize=1.5, alpha=0.4)
    return lines


def _scattered(axes: Axes, x: Array, y: Array, values: Array) -> Any:
    """Draw points coloured by their values; returns None if no value is finite."""
    known = np.isfinite(values)
    if not known.any():
        return None
    return axes.scatter(x[known], y[known], c=values[known], s=14, cmap=COLOURS)


def _scaled(values: NDArray[Any]) -> tuple[Array, str, str]:
    """Values scaled to 0 to 1, and the texts of the least and the largest.

    Texts are sorted and placed at equal distances.
    """
    if values.dtype.kind != 'f':
        names, places = np.unique(values, return_inverse=True)
        return places / max(len(names) - 1, 1), str(names[0]), str(names[-1])
    low, high = float(values.min()), float(values.max())
    span = high - low
    part = (values - low) / span if span > 0.0 else np.full(len(values), 0.5)
    return part, f'{low:.4g}', f'{high:.4g}'
