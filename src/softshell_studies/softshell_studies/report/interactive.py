"""Plots of a study to explore in a browser: parallel coordinates, and parameters by pairs."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softshell_common.html_page import whole_page
from softshell_common.whole_file import write_whole
from softshell_studies.report.runs import Runs, over_repeats

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: Most points that a browser draws without delay; a study of more is thinned out evenly.
MOST = 5000
COLOURS = 'Viridis'


def write_interactive(runs: Runs, metric: str, path: Path) -> None:
    """Write a page with plots that show values under the mouse and can be filtered.

    It needs no network: the library that draws it is part of the file.

    Args:
        runs: of the study.
        metric: by which points are coloured.
        path: of the page.

    Raises:
        OSError: it cannot be written.
    """
    columns, first = by_point(runs, metric)
    figures = (parallel(columns, metric), pairs(columns, metric, runs.number[first]))
    parts = [
        figure.to_html(full_html=False, include_plotlyjs=place == 0)
        for place, figure in enumerate(figures)
    ]
    write_whole(path, whole_page(f'Study {runs.name}: {metric}', parts).encode())


def parallel(columns: Mapping[str, NDArray[Any]], metric: str) -> 'Figure':
    """Parallel coordinates. Dragging along an axis keeps the lines that pass through that range.

    Args:
        columns: (points,) values by name of parameter or metric.
        metric: by which lines are coloured.
    """
    from plotly.graph_objects import Figure, Parcoords

    dimensions = []
    for name, values in columns.items():
        if values.dtype.kind == 'f':
            dimensions.append({'label': name, 'values': values})
            continue
        texts, places = np.unique(values, return_inverse=True)
        ticks = {'tickvals': [*range(len(texts))], 'ticktext': texts.tolist()}
        dimensions.append({'label': name, 'values': places, **ticks})
    line = {'color': columns[metric], 'colorscale': COLOURS, 'colorbar': {'title': metric}}
    figure = Figure(Parcoords(dimensions=dimensions, line=line))
    return figure.update_layout(height=460, margin={'t': 90})


def pairs(columns: Mapping[str, NDArray[Any]], metric: str, numbers: NDArray[np.int_]) -> 'Figure':
    """Each column over each other one. A selection in one plot is shown in all of them.

    Args:
        columns: (points,) values by name of parameter or metric.
        metric: by which points are coloured.
        numbers: (points,) number of the first run of each point, shown under the mouse.
    """
    from plotly.graph_objects import Figure, Splom

    marker = {'color': columns[metric], 'colorscale': COLOURS, 'size': 5, 'showscale': True}
    figure = Figure(
        Splom(
            dimensions=[{'label': name, 'values': values} for name, values in columns.items()],
            text=[f'run {number}' for number in numbers],
            marker=marker,
            diagonal={'visible': False},
            showupperhalf=False,
        )
    )
    size = max(420, 210 * len(columns))
    return figure.update_layout(height=size, width=size + 120, dragmode='select')


def by_point(runs: Runs, metric: str) -> tuple[dict[str, NDArray[Any]], NDArray[np.int_]]:
    """(points,) parameters and means of a metric, by name; (points,) the first run of each."""
    first, means = over_repeats(runs, runs.metric(metric))
    known = np.flatnonzero(np.isfinite(means))
    if len(known) > MOST:
        known = known[np.linspace(0, len(known) - 1, MOST).astype(int)]
    columns = {path: values[first][known] for path, values in runs.parameters.items()}
    return {**columns, metric: means[known]}, first[known]
