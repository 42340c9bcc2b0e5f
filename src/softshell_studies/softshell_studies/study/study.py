"""A study: its runs, each with parameters and a seed of its own."""

import hashlib
import json
import symtable
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, permutations
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from softshell_actions.language.expression import names_of
from softshell_common.wording import Keys, reworded
from softshell_common.yaml_file import YamlFile
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_studies.study.asked import Asked
from softshell_studies.study.columns import ALWAYS
from softshell_studies.study.condition import is_true
from softshell_studies.study.form import StudyForm
from softshell_studies.study.paths import paths_of, unknown_in, value_at, with_values
from softshell_studies.study.rows import numbers_of
from softshell_studies.study.sampling import Grid, Points, Slices, latin_hypercube, sobol
from softshell_studies.study.scenario import Scenario, scenario_of

#: Problems of single values of a parameter that are told.
MOST = 20


@dataclass(frozen=True)
class Run:
    """One run of a study.

    Attributes:
        number: from 0.
        point: which combination of parameters; repeats share it.
        seed: of the run.
        values: of the parameters that change, by path.
    """

    number: int
    point: int
    seed: int
    values: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Study:
    """All runs of a study.

    Attributes:
        name: of the study.
        form: as written.
        base: nested parameters that all runs share.
        points: combinations of parameters.
        metrics: names of what is kept.
        source: text of the file with the function, if there is one.
    """

    name: str
    form: StudyForm
    base: Mapping[str, Any]
    points: Points = field(repr=False)
    metrics: tuple[str, ...]
    source: str = field(default='', repr=False)

    def __len__(self) -> int:
        """Number of runs."""
        return len(self.points) * self.form.repeats

    def run(self, number: int) -> Run:
        """A run by its number; repeats of a point follow each other."""
        point, repeat = divmod(number, self.form.repeats)
        key = self._seed_key(point, repeat)
        sequence = np.random.SeedSequence(self.form.seed, spawn_key=key)
        seed = int(sequence.generate_state(1, np.uint32)[0])
        return Run(number, point, seed, self.points[point])

    def _seed_key(self, point: int, repeat: int) -> tuple[int, ...]:
        """What the seed of a run follows from; the last points of a search share fresh ones."""
        form = self.form
        if form.optimize is not None and point > form.optimize.trials:
            return form.optimize.trials + 1, repeat
        return (repeat,) if form.common_seeds else (point, repeat)

    def parameters(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Nested parameters of a run, from `values` of those that vary, by path."""
        return with_values(self.base, values)

    @property
    def digest(self) -> str:
        """Of all that decides about the runs but the order of the parameters."""
        content = self.form.model_dump(mode='json', exclude={'labels'})
        text = json.dumps([content, self.source], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()


def read_study(path: Path) -> Study:
    """A study from its file, at `path`.

    Raises:
        ProblemsError: the file, and everything that is wrong with it.
    """
    file = YamlFile(path)
    form = file.validate(StudyForm)
    problems = list(_problems(file, form))
    if problems:
        raise ProblemsError(str(file.path), problems)
    scenario = None if form.scenario is None else scenario_of(form.scenario)
    source = '' if form.function is None else _source(file.path, form.function)
    base = with_values({}, form.fixed)
    metrics = form.metrics or tuple(scenario.metrics if scenario else ())
    return Study(path.stem, form, base, _points(form, base, scenario), metrics, source)


def _points(form: StudyForm, base: Mapping[str, Any], scenario: Scenario | None) -> Points:
    axes = form.parameters
    steps = {path: axis.steps or () for path, axis in axes.items()}
    if form.sampling == 'latin_hypercube':
        return latin_hypercube(axes, form.samples or 0, form.seed)
    if form.sampling == 'sobol':
        return sobol(axes, form.samples or 0, form.seed)
    if not _runs_its_base(form):
        return Grid(steps)
    whole = scenario.form.model_validate(base).model_dump() if scenario else base
    usual = {path: value_at(whole, path) for path in axes}
    if form.optimize is not None:
        return Asked(usual, form.optimize.trials, 2 if form.repeats > 1 else 0)
    return Slices(steps, usual)


def _runs_its_base(form: StudyForm) -> bool:
    """Whether runs have the values of `fixed` and the defaults also of parameters that vary."""
    return form.optimize is not None or form.sampling == 'slices'


def _problems(file: YamlFile, form: StudyForm) -> Iterator[str]:
    """Problems that the form of the file does not show."""
    for path, axis in form.parameters.items():
        sampled = form.optimize is None and form.sampling in ('grid', 'slices')
        if sampled and axis.steps is None:
            text = f'has no steps; expected values, or range with count, for a {form.sampling}'
            yield file.problem(('parameters', path), text)
        if axis.count is not None and not sampled:
            kind = form.sampling if form.optimize is None else 'optimize'
            text = f'has count with {kind}, which takes any number in the range; expected none'
            yield file.problem(('parameters', path), text)
    yield from _parts(file, 'parameters', form.parameters)
    yield from _parts(file, 'fixed', form.fixed)
    yield from _replaced(file, form)
    scenario = None
    if form.scenario is not None:
        try:
            scenario = scenario_of(form.scenario)
        except UnknownNameError as error:
            yield file.problem(('scenario',), str(error))
            return
        yield from _misfits(file, form, scenario)
    elif form.function is not None:
        try:
            _source(file.path, form.function)
        except SoftshellError as error:
            yield file.problem(('function',), str(error))
        if form.sampling == 'slices' or form.optimize is not None:
            base = with_values({}, form.fixed)
            for path in form.parameters:
                try:
                    value_at(base, path)
                except KeyError:
                    text = 'has no value in fixed; expected the one that is usual'
                    yield file.problem(('parameters', path), text)
    known = form.metrics or tuple(scenario.metrics if scenario else ())
    yield from _clashes(file, form, known)
    if form.optimize is not None and form.optimize.metric not in known:
        text = str(UnknownNameError('metric', form.optimize.metric, known))
        yield file.problem(('optimize', 'metric'), text)
    yield from _misnamed(file, form, known)


def _parts(file: YamlFile, section: str, paths: Iterable[str]) -> Iterator[str]:
    """Paths in a section of which one is a part of another: one would replace the other."""
    for one, other in permutations(paths, 2):
        if other.startswith(f'{one}.'):
            text = f'is a part of {one}, which is given too; expected only one of them'
            yield file.problem((section, other), text)


def _replaced(file: YamlFile, form: StudyForm) -> Iterator[str]:
    """Fixed values that the values of a parameter at another path would replace."""
    base = with_values({}, form.fixed)
    for path in form.parameters:
        for fixed in form.fixed:
            if fixed.startswith(f'{path}.'):
                text = f'is a part of the parameter {path}; expected only one of them'
                yield file.problem(('fixed', fixed), text)
        whole: Any = base
        way = path.split('.')
        for count, step in enumerate(way):
            if not isinstance(whole, Mapping):
                text = f'is a part of {".".join(way[:count])}, which is fixed to {whole!r}'
                yield file.problem(('parameters', path), f'{text}; expected only one of them')
                break
            if step not in whole:
                break
            whole = whole[step]


def _misnamed(file: YamlFile, form: StudyForm, metrics: tuple[str, ...]) -> Iterator[str]:
    """Conditions that are none, or in which it is not clear what a name means."""
    conditions = {('labels', label): text for label, text in form.labels.items()}
    if form.optimize is not None and form.optimize.where is not None:
        conditions['optimize', 'where'] = form.optimize.where
    paths = [path for path, axis in form.parameters.items() if axis.is_numeric]
    names = dict.fromkeys([*metrics, *numbers_of(dict.fromkeys(paths))], nan)
    for place, text in conditions.items():
        try:
            is_true(text, names)
        except SoftshellError as error:
            yield file.problem(place, str(error))
            continue
        for name in sorted(names_of(text)):
            meant = ['the metric'] if name in metrics else []
            meant += [path for path in paths if path.rpartition('.')[2] == name]
            if len(meant) > 1:
                told = f'{name!r} may be {" or ".join(meant)}; expected a name of one of them'
                yield file.problem(place, told)


def _clashes(file: YamlFile, form: StudyForm, metrics: tuple[str, ...]) -> Iterator[str]:
    """Names of which two would be the same column of the results."""
    taken = dict.fromkeys(ALWAYS, 'a column of all results')
    columns = [
        *((('metrics',), name, 'a metric') for name in metrics),
        *((('labels', label), f'is_{label}', 'a label') for label in form.labels),
        *((('parameters', path), path, 'a parameter') for path in form.parameters),
    ]
    for place, name, kind in columns:
        if name in taken:
            text = f'column {name!r} would be {kind} and {taken[name]}; expected another name'
            without = ', or metrics without it' if taken[name] == 'a metric' else ''
            yield file.problem(place, text + without)
        taken[name] = kind


def _misfits(file: YamlFile, form: StudyForm, scenario: Scenario) -> Iterator[str]:
    """Parameters that a scenario does not have, and values that it refuses."""
    known = set(paths_of(scenario.form))
    nested = {name: value for name, value in form.fixed.items() if '.' not in name}
    places = [
        *(('fixed', path) for path in form.fixed if '.' in path and path not in known),
        *(('fixed', *place) for place in unknown_in(scenario.form, nested)),
        *(('parameters', path) for path in form.parameters if path not in known),
    ]
    for section, *steps in sorted(places):
        error = UnknownNameError('parameter', '.'.join(steps), known)
        yield file.problem((section, *steps), str(error))
    for name in form.metrics or ():
        if name not in scenario.metrics:
            yield file.problem(
                ('metrics',), str(UnknownNameError('metric', name, scenario.metrics))
            )
    base = with_values({}, form.fixed)
    for path, axis in form.parameters.items():
        # What the default of another parameter forbids, its first value may allow.
        if path in known and axis.values is not None and not _runs_its_base(form):
            run = with_values(base, {path: axis.values[0]})
            base = base if any(_refused(scenario.form, run)) else run
    already = [*_refused(scenario.form, base)]
    for text in already:
        yield file.problem(('fixed',), text)
    for path, axis in form.parameters.items():
        texts = (
            text
            for value in (axis.to_check if path in known else ())
            for text in _refused(scenario.form, with_values(base, {path: value}))
            if text not in already
        )
        for text in islice(texts, MOST):
            yield file.problem(('parameters', path), text)


def _refused(form: type[BaseModel], parameters: Mapping[str, Any]) -> Iterator[str]:
    """Why a form refuses parameters, except for unknown names, which `_misfits` reports."""
    try:
        form.model_validate(parameters)
    except ValidationError as error:
        told = [one for one in error.errors()[:MOST] if one['type'] != 'extra_forbidden']
        for place, words in reworded(told, parameters, Keys()):
            name = '.'.join(map(str, place))
            yield f'{name} {words}' if words.startswith('is ') else f'{name}: {words}'


def _source(study: Path, function: str) -> str:
    """Text of the file of a function, which begins at the study's folder.

    Raises:
        SoftshellError: there is no such file, or no such function in it.
    """
    name, _, attribute = function.partition(':')
    path = study.parent / name
    try:
        text = path.read_text(encoding='utf-8')
        compile(text, str(path), 'exec')
        names = symtable.symtable(text, str(path), 'exec').get_symbols()
    except OSError as error:
        raise SoftshellError(f'{path} cannot be read: {error.strerror}') from None
    except (SyntaxError, ValueError) as error:
        raise SoftshellError(f'{path} is no Python: {error}') from None
    if attribute not in {name.get_name() for name in names if name.is_assigned()}:
        raise SoftshellError(f'{path} has no function {attribute!r}; expected one that it defines')
    return text
