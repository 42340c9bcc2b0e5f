"""The page on what studies vary and measure: the scenarios with parameters and metrics."""

import inspect
import sys
from collections.abc import Iterator

from softshell_studies.study.scenario import SCENARIOS, Scenario, scenario_of
from softshell_tools.reference.docstrings import read
from softshell_tools.reference.form_table import form_table
from softshell_tools.reference.markdown import anchor, code, page, table


def scenarios_page() -> str:
    """The page, in Markdown."""
    listed = '\n'.join(f'- [{code(name)}](#{anchor(name)})' for name in SCENARIOS)
    return page(
        'Scenarios of studies',
        'What the runs of a [study](../studies.md) can do. Parameters are entries of `fixed` and '
        '`parameters` of [its file](files.md#study); nested ones are given by path, such as '
        '`gait.step`. One whose default is a dash may be left out: None stands for that. '
        'Metrics are what `metrics`, `labels` and `optimize` name. Units are in brackets.',
        [listed, *(text for name in SCENARIOS for text in _section(scenario_of(name)))],
    )


def _section(scenario: Scenario) -> Iterator[str]:
    """The section of a scenario."""
    yield f'## {scenario.name}'
    module = inspect.cleandoc(sys.modules[scenario.form.__module__].__doc__ or '')
    told = [module.split('\n\n')[0], read(scenario.run).text.split('\n\n')[0]]
    if not scenario.has_joints:
        told.append('It has no robot that `sweep --record` could record.')
    if not scenario.is_seen:
        told.append('It has no pictures.')
    yield ' '.join(' '.join(told).split())
    yield form_table('parameter', scenario.form())
    rows = [
        (code(name), metric.unit and f'[{metric.unit}]', metric.meaning)
        for name, metric in scenario.metrics.items()
    ]
    yield table(('metric', 'unit', 'meaning'), rows)
