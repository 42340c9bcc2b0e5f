"""The folder of a study: what became of each run, written down as it comes.

`study.json` says what was asked for, and by which versions it was done; `journal.jsonl` has a line
for each run that is over; `runs.parquet` has all of them as columns, once the study rests. A line
that was cut as the power went is left out, and its run is done again.
"""

import fcntl
import json
import math
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from types import UnionType
from typing import Any, Self, TextIO, cast

from softshell_common.whole_file import write_whole
from softshell_kinematics.errors import SoftshellError
from softshell_studies.study.study import Study
from softshell_studies.study.work import Record

MANIFEST, JOURNAL, TABLE, LOCK = 'study.json', 'journal.jsonl', 'runs.parquet', '.lock'
#: What a search has found.
BEST = 'best.json'
#: Libraries whose versions decide about what comes out.
LIBRARIES = ('numpy', 'scipy', 'numba', 'mujoco', 'pybullet', 'softshell-sim')
#: Entries of `study.json` that are read again, and their types.
TOLD = {'name': str, 'digest': str, 'sessions': list, 'runs': int, 'metrics': list, 'study': dict}
#: Those of its `study`.
FORM = {'parameters': dict, 'labels': dict}
#: Those of each line of the journal.
ROW = {
    'run': int, 'point': int, 'seed': int, 'session': int, 'parameters': dict,
    'seconds': int | float, 'metrics': dict, 'error': str, 'trace': str,
}  # fmt: skip


class Results:
    """The folder of a study, held by one sweep at a time; a context manager.

    Args:
        folder: is made, or goes on if it is of the same study.
        study: that is done.

    Attributes:
        done: numbers of runs that are over.
        failed: how many of them failed.

    Raises:
        SoftshellError: another study is in the folder, or files of one that are damaged or
            incomplete; another sweep runs there; or it cannot be written.
    """

    def __init__(self, folder: Path, study: Study) -> None:
        self.folder, self._study = folder, study
        self.done: set[int] = set()
        self.failed = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = (folder / LOCK).open('w')
        except OSError as error:
            raise SoftshellError(f'{folder} cannot be written: {error.strerror}') from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise SoftshellError(f'{folder}: another sweep runs there; expected one') from None
        try:
            self._begin()
        except OSError as error:
            self._lock.close()
            raise SoftshellError(f'{folder} cannot be written: {error.strerror}') from error
        except BaseException:
            self._lock.close()
            raise

    def add(self, records: Iterable[Record]) -> None:
        """Write down runs that are over; those that were are left out.

        Raises:
            SoftshellError: the disk is full, or gone; all before is kept.
        """
        lines = []
        for record in records:
            if record.run in self.done:
                continue
            self.done.add(record.run)
            self.failed += bool(record.error)
            lines.append(json.dumps({**self._asked(record.run), **_plain(record)}))
        if not lines:
            return
        with writing(self.folder / JOURNAL):
            self._journal.write('\n'.join(lines) + '\n')
            self._journal.flush()
            os.fsync(self._journal.fileno())

    def close(self) -> Path | None:
        """Write all runs as columns; the file, or None if there are none.

        Raises:
            SoftshellError: it cannot be written; the journal has everything.
        """
        try:
            with writing(self.folder / TABLE):
                return self._write_table() if self.done else None
        finally:
            with suppress(OSError):  # of what was not written, which `add` has told
                self._journal.close()
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write_table(self) -> Path:
        # pyarrow is slow to import, and of no use before.
        from softshell_studies.study.table import write_table

        path = self.folder / TABLE
        write_table(path, read_manifest(self.folder), self.folder / JOURNAL)
        return path

    def _begin(self) -> None:
        manifest = self.folder / MANIFEST
        here = versions()
        told: dict[str, Any]
        if manifest.exists():
            told = read_manifest(self.folder)
            # The number of a run depends on the order of the parameters, which JSON keeps.
            study, order = told['study'], list(told['study']['parameters'])
            another = ''
            if told['digest'] != self._study.digest:
                of = study.get('scenario') or study.get('function')
                another = f'{told["runs"]} runs of {of}'
            elif order != list(self._study.form.parameters):
                another = f'its parameters in the order {", ".join(order)}'
            if another:
                raise SoftshellError(
                    f'{self.folder} holds another study ({another}); expected the same one, or '
                    'another folder: --output'
                )
            self._read()
        elif (self.folder / JOURNAL).exists():
            raise SoftshellError(
                f'{self.folder} has {JOURNAL} without {MANIFEST}; expected both of a study, or '
                'another folder: --output'
            )
        else:
            told = {'name': self._study.name, 'digest': self._study.digest, 'sessions': []}
        if not told['sessions'] or told['sessions'][-1] != here:
            told['sessions'].append(here)
        told |= {
            'runs': len(self._study),
            'metrics': self._study.metrics,
            'study': self._study.form.model_dump(mode='json'),
            'source': self._study.source,
        }
        self._session = len(told['sessions']) - 1
        write_whole(manifest, json.dumps(told, indent=1).encode())
        self._journal: TextIO = (self.folder / JOURNAL).open('a', encoding='utf-8')

    def _read(self) -> None:
        """Learn what is done, and cut off what was not written to its end."""
        for row in whole_rows(self.folder / JOURNAL, ROW):
            self.done.add(row['run'])
            self.failed += bool(row['error'])

    def _asked(self, number: int) -> dict[str, Any]:
        run = self._study.run(number)
        return {
            'run': number,
            'point': run.point,
            'seed': run.seed,
            'session': self._session,
            'parameters': dict(run.values),
        }


def versions() -> dict[str, str]:
    """What the runs of a session are done with."""
    found = {'python': platform.python_version(), 'machine': platform.machine()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a study's folder says of it.

    Raises:
        SoftshellError: it is no such folder, or the file is damaged.
    """
    path = folder / MANIFEST
    try:
        told = object_in(path, TOLD)
    except OSError as error:
        raise SoftshellError(f'{folder} holds no study: {error.strerror}') from error
    if not _has(told['study'], FORM):
        raise SoftshellError(f'{path} is damaged; expected a study with {", ".join(FORM)}')
    return told


def object_in(path: Path, entries: Mapping[str, type | UnionType]) -> dict[str, Any]:
    """The object of JSON in a file of a study.

    Args:
        path: of the file.
        entries: that it has, and their types.

    Raises:
        OSError: it cannot be read.
        SoftshellError: it is damaged.
    """
    try:
        told = json.loads(path.read_text(encoding='utf-8'))
    except ValueError as error:
        raise SoftshellError(f'{path} is damaged: {error}') from error
    if not _has(told, entries):
        raise SoftshellError(f'{path} is damaged; expected an object with {", ".join(entries)}')
    return cast('dict[str, Any]', told)


def _has(told: object, entries: Mapping[str, type | UnionType]) -> bool:
    """Whether something read from JSON is an object with these entries of these types."""
    return isinstance(told, dict) and all(
        name in told and isinstance(told[name], kind) for name, kind in entries.items()
    )


def rows_of(folder: Path) -> Iterator[dict[str, Any]]:
    """Lines of the journal, by run.

    Raises:
        OSError: it cannot be read.
        SoftshellError: a line is damaged.
    """
    rows = (row for _, row in _lines(folder / JOURNAL, ROW))
    return iter(sorted(rows, key=lambda row: int(row['run'])))


def whole_rows(path: Path, entries: Mapping[str, type | UnionType]) -> Iterator[dict[str, Any]]:
    """Lines of a file of JSON, none if it is missing; cuts off what was not written to its end.

    Args:
        path: of the file.
        entries: that each line has, and their types.

    Raises:
        SoftshellError: a line is damaged; the file stays as it is.
    """
    if not path.exists():
        return
    whole = 0
    for size, row in _lines(path, entries):
        whole += size
        yield row
    if whole < path.stat().st_size:
        os.truncate(path, whole)


def _lines(
    path: Path, entries: Mapping[str, type | UnionType]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Size [bytes] and content of each line of JSON that was written to its end.

    Raises:
        SoftshellError: a line is damaged.
    """
    with path.open('rb') as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b'\n'):
                return
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not _has(row, entries):
                expected = f' with {", ".join(entries)}' if entries else ''
                raise SoftshellError(
                    f'{path}: line {number} is damaged; expected an object of JSON{expected}'
                )
            yield len(line), row


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """A context that writes a file of a study.

    Raises:
        SoftshellError: it cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise SoftshellError(
            f'{path}: {error.strerror or error}; the same command goes on from here'
        ) from error


def _plain(record: Record) -> dict[str, Any]:
    """For JSON, which knows no NaN; parameters have none, as a study's file is checked for it."""
    row = dict(vars(record))  # much quicker than dataclasses.asdict
    row['metrics'] = {
        name: None if math.isnan(value) else value for name, value in record.metrics.items()
    }
    row['seconds'] = round(record.seconds, 6)
    return row
