"""The page on tasks for learning: settings, actions, observations and rewards."""

import inspect
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module

import numpy as np

from softshell_studies.gym.task import Part, Task, size_of
from softshell_studies.gym.tasks import TASKS, Entry, make_task
from softshell_tools.reference.docstrings import read
from softshell_tools.reference.form_table import form_table
from softshell_tools.reference.markdown import anchor, code, page, table
from softshell_tools.reference.signatures import constants


def tasks_page() -> str:
    """The page, in Markdown."""
    listed = '\n'.join(
        f'- [{code(name)}](#{anchor(name)}): {entry.meaning}' for name, entry in TASKS.items()
    )
    seen: dict[str, tuple[Part, ...]] = {}
    sections = [text for name, entry in TASKS.items() for text in _section(name, entry, seen)]
    return page(
        'Tasks for learning',
        'What the [tasks](../learning.md) take, observe and reward. Settings are arguments of '
        "`gymnasium.make('softshell_studies.gym:softshell/NAME-v0', ...)` and of "
        '[`make_task`](studies.md#make_task). Actions are numbers from -1 to 1. The parts of '
        'actions and observations follow one another in one array; the indices of each are given '
        'as in Python. `score` and other measurements are in `info`; a higher score is better. '
        'Names in capitals are constants of the code, which settings do not change.',
        [listed, *sections],
    )


def _section(name: str, entry: Entry, seen: dict[str, tuple[Part, ...]]) -> Iterator[str]:
    """The section of a task; one like another before it has only what differs.

    Args:
        name: of the task.
        entry: how it is made.
        seen: the observations of the first task of each kind; is added to.
    """
    with closing(make_task(name)) as task:
        yield f'## {name}'
        like = next(one for one, other in TASKS.items() if other.kind == entry.kind)
        if like == name:
            yield _told(type(task))
        else:
            changed = ', '.join(f'`{key}: {value}`' for key, value in entry.settings.items())
            yield f'As [{code(like)}](#{anchor(like)}), with other defaults: {changed}.'
        steps, period = entry.steps, task.period
        yield f'An episode has {steps} steps of {period:g} s, {steps * period:g} s in all.'
        if like == name:
            yield form_table('setting', vars(task)['form'])
            yield _parts('action', 'value of 1', task.actions)
        if seen.setdefault(entry.kind, task.observations) != task.observations or like == name:
            yield _parts('observation', 'unit', task.observations)
        if like == name:
            yield from _rewards(task, entry)


def _rewards(task: Task, entry: Entry) -> Iterator[str]:
    """What a task rewards and measures, and when it ends early."""
    kind = type(task)
    told = [f'- Reward of a step: {_told(kind.reward)}']
    if kind.failed is not Task.failed:
        told.append(f'- Failed, which ends the episode: {_told(kind.failed)}')
    yield '\n'.join(
        [*told, f'- Measured: {_told(kind.measured)} Unit of the score: {entry.unit}.']
    )
    module = import_module(kind.__module__)
    rows = [
        (', '.join(map(code, names.split(', '))),
         '; '.join(_shown(getattr(module, one)) for one in names.split(', ')), comment)
        for names, comment in constants(module)
    ]  # fmt: skip
    yield table(('constant', 'value', 'meaning'), rows)


def _parts(title: str, unit: str, parts: tuple[Part, ...]) -> str:
    """The table of the parts of an action or an observation."""
    rows = []
    for number, part in enumerate(parts):
        begin = size_of(parts[:number])
        rows.append((code(part.name), f'{begin}:{begin + part.size}', part.unit, part.meaning))
    return table((f'{title} ({size_of(parts)},)', 'numbers', unit, 'meaning'), rows)


def _told(thing: object) -> str:
    """What a docstring says before its lists, on one line."""
    text = read(thing).text or inspect.getdoc(thing) or ''
    return ' '.join(text.split())


def _shown(value: object) -> str:
    """The value of a constant, with four digits."""
    if isinstance(value, tuple | np.ndarray):
        return f'({", ".join(map(_shown, value))})'
    return f'{value:.4g}' if isinstance(value, float) else str(value)
