"""The report of a study: an HTML page, and its plots as picture files."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from types import UnionType

import numpy as np
from matplotlib.figure import Figure

from softshell_common.html_page import section, table, whole_page
from softshell_common.whole_file import write_whole
from softshell_kinematics.errors import SoftshellError
from softshell_studies.report import plots
from softshell_studies.report.gallery import write_pictures
from softshell_studies.report.interactive import write_interactive
from softshell_studies.report.runs import Runs, over_repeats, read_runs, sensitivity, survived
from softshell_studies.study.optimise import unfit_among
from softshell_studies.study.results import BEST as FOUND
from softshell_studies.study.results import object_in

#: At most so many best runs, and so many different errors, are listed.
BEST, MOST_ERRORS = 10, 10
INTERACTIVE = 'interactive.html'
#: Entries of the file with the result of a search that are shown, and their types.
RESULT: dict[str, type | UnionType] = {
    'metric': str, 'best': dict, 'default': dict,
    **dict.fromkeys(('value', 'by_default', 'gain'), float | None),
    **dict.fromkeys(('values', 'values_by_default'), list),
}  # fmt: skip


def write_report(
    folder: Path, metric: str = '', least: bool = False, pictures: int = 0
) -> list[Path]:
    """Write `report.html`, `interactive.html` and the plots of a study into its folder.

    Args:
        folder: of the study.
        metric: that is reported; empty: the one of a search, otherwise the first.
        least: whether small values of the metric are the best.
        pictures: how many of the best runs are run again and filmed.

    Returns:
        Paths of the files, the page first.

    Raises:
        SoftshellError: the folder holds no runs, or a damaged file; all runs failed, there is no
            such metric, a file cannot be written, or the scenario cannot be filmed.
    """
    runs = read_runs(folder)
    if runs.failed.all():
        raise SoftshellError(f'{folder}: all runs failed; error of the first: {runs.errors[0]}')
    search = runs.manifest['study'].get('optimize')
    if search is not None and metric in ('', search['metric']):
        metric, least = search['metric'], search['goal'] == 'least'
    metric = metric or next(iter(runs.metrics))
    values = runs.metric(metric)
    if not np.isfinite(values).any():
        raise SoftshellError(f'{folder}: no run measured {metric}; expected another metric')
    shares = sensitivity(runs, values)
    figures = dict(_figures(runs, metric, shares))
    parts = [
        table(_facts(runs)),
        *_found(folder),
        _what_decides(runs, metric, shares),
        section(f'Best runs: {"least" if least else "most"} {metric}', '')
        + _best(runs, metric, least),
        *_gallery(runs, metric, least, pictures, folder),
        *(section(title, '', figure) for title, figure in figures.items()),
        *_failures(runs),
        f'<p><a href="{INTERACTIVE}">Plots to explore</a>: filter lines, select points.</p>',
    ]
    page = folder / 'report.html'
    files = [page, folder / INTERACTIVE]
    try:
        write_whole(page, whole_page(f'Study {runs.name}', parts).encode())
        write_interactive(runs, metric, folder / INTERACTIVE)
        for title, figure in figures.items():
            files.append(folder / f'{_plain(title)}.png')
            figure.savefig(files[-1], dpi=110)
    except OSError as error:
        raise SoftshellError(f'{folder} cannot be written: {error.strerror}') from error
    return files


def _figures(runs: Runs, metric: str, shares: dict[str, float]) -> Iterator[tuple[str, Figure]]:
    numeric = [path for path, _ in _most_first(shares) if path in runs.numeric]
    yield f'{metric} over each parameter', plots.effects(runs, metric)
    pairs = plots.contours(runs, metric, numeric)
    if pairs is not None:
        yield f'{metric} over two parameters', pairs
    lines = plots.parallel(runs, metric)
    if lines is not None:
        yield 'Parallel coordinates', lines
    for label in runs.labels:
        figure = plots.outcomes(runs, label, numeric)
        if figure is not None:
            yield f'Where {label}', figure


def _found(folder: Path) -> Iterator[str]:
    """Sections on the result of a search; none if the study is no search or is not over.

    Raises:
        SoftshellError: the file with the result is damaged.
    """
    try:
        told = object_in(folder / FOUND, RESULT)
    except OSError:
        return
    gain = '' if told['gain'] is None else f', {100.0 * told["gain"]:+.1f} %'
    yield section(
        'What was found',
        f'{told["metric"]}: {_judged(told["value"], told["values"])}, by default '
        f'{_judged(told["by_default"], told["values_by_default"])}{gain}.',
    )
    yield table(
        [
            (path, _shown(value), _shown(told['default'][path]))
            for path, value in told['best'].items()
        ],
        ('parameter', 'best', 'default'),
    )


def _judged(mean: float | None, values: list[float | None]) -> str:
    """A mean, and how many of its runs failed or violate the condition of the search."""
    return _shown(mean) + unfit_among(values.count(None), len(values))


def _facts(runs: Runs) -> Iterator[tuple[str, str]]:
    study = runs.manifest['study']
    yield 'what is done', study['scenario'] or study['function']
    yield 'runs', f'{len(runs.number)} of {runs.manifest["runs"]}'
    yield 'failed', str(int(runs.failed.sum()))
    for label, has in runs.labels.items():
        yield label, f'{int(has.sum())} runs, {100.0 * float(has.mean()):.0f} %'
    for place, session in enumerate(runs.manifest['sessions']):
        told = ', '.join(f'{name} {version}' for name, version in session.items())
        yield ('done by' if place == 0 else 'and by'), told


def _what_decides(runs: Runs, metric: str, shares: dict[str, float]) -> str:
    """A section on the shares of the variance, or on why there are none."""
    part = f'part of the variance of {metric} that each parameter explains by itself'
    if runs.dependent:
        return section(
            'What decides',
            f'The {part} is not told: {runs.dependent}, so the effect of one parameter cannot be '
            'separated from that of others. A grid, a Latin hypercube or a Sobol sequence shows '
            'it.',
        )
    return section(
        'What decides',
        f'The {part} (first-order Sobol index). Interactions of parameters and chance explain '
        'the rest.',
    ) + table([(path, f'{share:.2f}') for path, share in _most_first(shares)])


def _most_first(shares: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(shares.items(), key=lambda pair: -pair[1])


def _best(runs: Runs, metric: str, least: bool) -> str:
    """A table of the best points, by the mean of their repeats."""
    repeated = runs.manifest['study'].get('repeats', 1) > 1
    head = ['run', metric, *['repeats that survived'] * repeated, *runs.parameters]
    whole = dict(zip(np.unique(runs.point).tolist(), survived(runs), strict=True))
    rows = [
        [
            str(runs.number[run]),
            f'{mean:.5g}',
            *[whole[int(runs.point[run])]] * repeated,
            *(_shown(values[run]) for values in runs.parameters.values()),
        ]
        for run, mean in _in_order(runs, metric, least)[:BEST]
    ]
    return table(rows, head)


def _in_order(runs: Runs, metric: str, least: bool) -> list[tuple[int, float]]:
    """The first run of each point and the mean of its repeats, the best first.

    Points of a search with a run that failed, measured nothing or violates its condition `where`
    are left out.
    """
    values = runs.metric(metric)
    if runs.manifest['study'].get('optimize') is not None:
        unfit = runs.point[~runs.fits | np.isnan(values)]
        values = np.where(np.isin(runs.point, unfit), np.nan, values)
    first, means = over_repeats(runs, values)
    order = np.argsort(means if least else -means)
    return [(int(first[k]), float(means[k])) for k in order if np.isfinite(means[k])]


def _gallery(runs: Runs, metric: str, least: bool, count: int, folder: Path) -> Iterator[str]:
    """A section with pictures of the best runs."""
    if not count:
        return
    chosen = [run for run, _ in _in_order(runs, metric, least)[:count]]
    yield section('Pictures', 'The best runs, run again; their videos are in pictures/.')
    for run, file in zip(chosen, write_pictures(runs, chosen, folder / 'pictures'), strict=True):
        told = ', '.join(f'{path} {_shown(v[run])}' for path, v in runs.parameters.items())
        yield f'<p>run {runs.number[run]}: {escape(told)}</p>'
        yield f'<img alt="run {runs.number[run]}" src="pictures/{file.name}">'


def _shown(value: object) -> str:
    return f'{value:.5g}' if isinstance(value, float) else str(value)


def _failures(runs: Runs) -> Iterator[str]:
    """A section with the errors of runs, the most frequent first."""
    if not runs.failed.any():
        return
    counts: dict[str, list[int]] = {}
    for number, text in zip(runs.number.tolist(), runs.errors, strict=True):
        if text:
            counts.setdefault(text, []).append(number)
    rows = sorted(counts.items(), key=lambda pair: -len(pair[1]))[:MOST_ERRORS]
    yield section('What failed', '') + table(
        [(str(len(numbers)), text, f'run {numbers[0]}') for text, numbers in rows],
        ('times', 'error', 'first'),
    )


def _plain(title: str) -> str:
    return ''.join(c if c.isalnum() or c in '._' else '-' for c in title.lower())
