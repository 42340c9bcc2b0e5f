"""The journal of a study as a table in Parquet, written in parts: memory does not grow with it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softshell_common.whole_file import whole_file
from softshell_studies.study.columns import ALWAYS, Kinds, columns_of

if TYPE_CHECKING:
    import pyarrow

#: Runs of a part.
PART = 10_000


def write_table(path: Path, manifest: Mapping[str, Any], journal: Path) -> None:
    """Write a journal as a table: parameters by path, metrics, labels, errors.

    Args:
        path: of the table. Its rows are in the order of the runs' numbers, whatever the order in
            which they came.
        manifest: of the study.
        journal: a line of JSON for each run that is over.

    Raises:
        OSError: it cannot be written; a table that was there stays.
    """
    import pyarrow
    import pyarrow.parquet

    kinds = Kinds(manifest['study']['parameters'])
    found = []
    for place, row in _lines(journal):
        kinds.add(row['parameters'])
        found.append((row['run'], place))
    places = np.array(sorted(found), dtype=np.int64).reshape(-1, 2)[:, 1].tolist()
    del found
    schema = _schema(manifest, kinds, journal)
    with whole_file(path) as file, pyarrow.parquet.ParquetWriter(file, schema) as table:
        for begin in range(0, len(places), PART):
            rows = _rows(journal, places[begin : begin + PART])
            table.write_table(pyarrow.table(columns_of(manifest, rows, kinds), schema=schema))


def _lines(journal: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The place [bytes] and the row of each line that was written completely."""
    place = 0
    with journal.open('rb') as lines:
        for line in lines:
            if line.endswith(b'\n'):
                yield place, json.loads(line)
            place += len(line)


def _rows(journal: Path, places: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Rows of the lines that begin at these places [bytes]."""
    with journal.open('rb') as file:
        for place in places:
            file.seek(place)
            yield json.loads(file.readline())


def _schema(manifest: Mapping[str, Any], kinds: Kinds, journal: Path) -> 'pyarrow.Schema':
    """Types of the columns, in the order of `columns_of`."""
    import pyarrow

    plain = {
        bool: pyarrow.bool_(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        str: pyarrow.string(),
        type(None): pyarrow.null(),
    }
    types = dict.fromkeys(ALWAYS, plain[str])
    types |= dict.fromkeys(('run', 'point', 'seed', 'session'), plain[int])
    types['seconds'] = plain[float]
    for path in manifest['study']['parameters']:
        kind = kinds.of(path)
        if kind not in plain:
            types[path] = _inferred(journal, path)
            if types[path] is not None:
                continue
            kinds.as_texts(path)
        types[path] = plain[kinds.of(path)]
    types |= dict.fromkeys(manifest['metrics'], plain[float])
    types |= {f'is_{label}': plain[bool] for label in manifest['study']['labels']}
    return pyarrow.schema(types)


def _inferred(journal: Path, path: str) -> 'pyarrow.DataType | None':
    """The type of values that are lists or mappings; None if no type holds all of them."""
    import pyarrow

    found = pyarrow.null()
    for _, row in _lines(journal):
        try:
            one = pyarrow.array([row['parameters'][path]]).type
            if one != found:
                both = [pyarrow.schema({path: found}), pyarrow.schema({path: one})]
                found = pyarrow.unify_schemas(both, promote_options='permissive').field(path).type
        except (pyarrow.ArrowException, OverflowError):
            return None
    return None if _has_empty_mappings(found) else found


def _has_empty_mappings(kind: 'pyarrow.DataType') -> bool:
    """Whether a type has mappings, perhaps inside of others, without any entry: Parquet has not.

    Args:
        kind: of values that are lists, mappings or plain.
    """
    import pyarrow

    if pyarrow.types.is_list(kind):
        return _has_empty_mappings(kind.value_type)
    if not pyarrow.types.is_struct(kind):
        return False
    inside = [kind.field(place).type for place in range(kind.num_fields)]
    return not inside or any(map(_has_empty_mappings, inside))
