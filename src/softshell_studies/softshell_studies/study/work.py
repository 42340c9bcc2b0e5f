"""What a worker does: runs of a study, each measured or failed."""

import functools
import linecache
import math
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softshell_kinematics.errors import SoftshellError
from softshell_studies.observers import recorded
from softshell_studies.study.scenario import scenario_of

#: Characters of an error, and of its traceback from the end.
LONGEST, LONGEST_TRACE = 1000, 4000


@dataclass(frozen=True)
class Task:
    """What is done with parameters and a seed.

    Attributes:
        scenario: by name; empty: the function.
        function: its name in the source.
        source: text of the file that it is in.
        place: of that file, for tracebacks.
        metrics: names of the numbers that are kept.
        record: folder for a bag of each run; empty: none is recorded.
    """

    scenario: str
    function: str
    source: str
    place: str
    metrics: tuple[str, ...]
    record: str = ''


@dataclass(frozen=True)
class Record:
    """What became of a run.

    Attributes:
        run: its number.
        seconds: that it took [s, wall].
        metrics: by name; empty if it failed, NaN where the scenario had nothing to measure.
        error: why it failed; empty if it did not.
        trace: the end of the traceback.
    """

    run: int
    seconds: float
    metrics: Mapping[str, float]
    error: str = ''
    trace: str = ''


def do_runs(task: Task, runs: Sequence[tuple[int, Mapping[str, Any], int]]) -> list[Record]:
    """Do runs one after the other.

    Args:
        task: what is done.
        runs: number, nested parameters and seed of each.

    Raises:
        SoftshellError: the bag of one cannot be written.
        KeyboardInterrupt: someone has interrupted this process.
    """
    return [do_run(task, *run) for run in runs]


def do_run(task: Task, number: int, parameters: Mapping[str, Any], seed: int) -> Record:
    """Do a run; an exception in it becomes the error of its record.

    Raises:
        SoftshellError: the bag of the run cannot be written.
        KeyboardInterrupt: someone has interrupted this process.
    """
    with _recording(task, number):
        return _measured(task, number, parameters, seed)


def _measured(task: Task, number: int, parameters: Mapping[str, Any], seed: int) -> Record:
    """What became of a run, whatever it raised; also where a function has asked for the exit.

    Raises:
        KeyboardInterrupt: someone has interrupted this process.
    """
    begin = time.perf_counter()
    try:
        measured = _function(task)(parameters, seed)
        metrics = {name: _number(measured, name) for name in task.metrics}
    except BaseException as error:  # such as a cancellation, or a panic of an extension in Rust
        # Ctrl-C comes in the main thread alone; runs of a study are in threads of their workers.
        is_interrupted = threading.current_thread() is threading.main_thread()
        if isinstance(error, KeyboardInterrupt) and is_interrupted:
            raise
        return Record(number, time.perf_counter() - begin, {}, *_told(error))
    return Record(number, time.perf_counter() - begin, metrics)


def _told(error: BaseException) -> tuple[str, str]:
    """An error, and the end of its traceback, as texts that any file can hold.

    Where the error cannot be told, because that raises another one, its type alone is.
    """
    name = type(error).__name__
    try:
        text = f'{name}: {error}'
        trace = ''.join(traceback.format_exception(error))
    except BaseException as other:
        text = f'{name}, whose text cannot be had: {type(other).__name__}'
        trace = ''.join(traceback.format_tb(error.__traceback__))
    return _encodable(text)[:LONGEST], _encodable(trace)[-LONGEST_TRACE:]


def _encodable(text: str) -> str:
    """A text without halves of characters, as of file names that are not in UTF-8: escaped."""
    return text.encode('utf-8', 'backslashreplace').decode('utf-8')


@contextmanager
def _recording(task: Task, number: int) -> Iterator[None]:
    """Have a run recorded, if that is asked for.

    Raises:
        SoftshellError: the bag cannot be written, even if the run took no notice of it.
    """
    if not task.record:
        yield
        return
    from softshell_studies.run_bag import RunBag

    with RunBag(Path(task.record) / f'{number:06}') as bag, recorded(bag):
        yield


def _number(measured: Any, name: str) -> float:
    """A metric.

    Raises:
        SoftshellError: it was not measured, or is no number.
    """
    if not isinstance(measured, Mapping):
        raise SoftshellError(f'{type(measured).__name__} was returned; expected numbers by name')
    if name not in measured:
        known = ', '.join(map(str, measured)) or 'none'
        raise SoftshellError(f'metric {name!r} was not returned; those that were: {known}')
    try:
        value = float(measured[name])
    except (TypeError, ValueError):
        raise SoftshellError(f'metric {name} is {measured[name]!r}; expected a number') from None
    if math.isinf(value):
        raise SoftshellError(f'metric {name} is {value}; expected a finite number, or NaN')
    return value


@functools.lru_cache(maxsize=8)
def _function(task: Task) -> Callable[[Mapping[str, Any], int], Any]:
    """What does a run; made once in each process."""
    if task.scenario:
        scenario = scenario_of(task.scenario)

        def run(parameters: Mapping[str, Any], seed: int) -> Any:
            return scenario.run(scenario.form.model_validate(parameters), seed)

        return run
    # The text comes with the task, so that a worker of a cluster needs no copy of the file.
    lines = task.source.splitlines(keepends=True)
    linecache.cache[task.place] = (len(task.source), None, lines, task.place)
    module = types.ModuleType('study_function')
    module.__file__ = task.place
    sys.modules[module.__name__] = module  # dataclasses look their annotations up there
    exec(compile(task.source, task.place, 'exec'), module.__dict__)
    function: Callable[[Mapping[str, Any], int], Any] = getattr(module, task.function)
    return function
