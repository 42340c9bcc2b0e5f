"""The table of a study, written in parts."""

import json
import math

import pytest

from softshell_studies.study import table as module

pyarrow = pytest.importorskip('pyarrow', reason='the set studies is not installed')


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a table of runs with values of a parameter `x`, in parts of three runs."""
    monkeypatch.setattr(module, 'PART', 3)

    def made(values, order=None, end=''):
        lines = [
            json.dumps({
                'run': run, 'point': run, 'seed': 2**32 - 1, 'session': 0, 'seconds': 0.1,
                'error': '' if run else 'ValueError: none', 'trace': '',
                'parameters': {} if value is ... else {'x': value},
                'metrics': {'size': float(run)} if run else {},
            })
            for run, value in enumerate(values)
        ]  # fmt: skip
        journal = tmp_path / 'journal.jsonl'
        journal.write_text(
            ''.join(lines[k] + '\n' for k in order or range(len(lines))) + end, encoding='utf-8'
        )
        study = {'parameters': {'x': {}}, 'labels': {'large': 'size > 2'}}
        path = tmp_path / 'runs.parquet'
        module.write_table(path, {'study': study, 'metrics': ['size']}, journal)
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path)

    return made


def test_rows_are_in_the_order_of_runs_over_all_parts(write):
    """Whatever the order they came in; a line that was cut is none."""
    order = [7, 2, 0, 1, 6, 3, 5, 4]
    table = write([k / 2 for k in range(8)], order, end='{"run": 8, "poi')
    assert table['run'].to_pylist() == list(range(8))
    assert table['x'].to_pylist() == [k / 2 for k in range(8)]
    assert table['is_large'].to_pylist() == [None, False, False, True, True, True, True, True]
    assert math.isnan(table['size'].to_pylist()[0])


@pytest.mark.parametrize(
    ('values', 'kept', 'type_'),
    [
        pytest.param([1, 2, 3, 4], [1, 2, 3, 4], 'int64', id='integers'),
        pytest.param([1, 2, 3, 0.5], [1.0, 2.0, 3.0, 0.5], 'double', id='one is a float'),
        pytest.param([True, False] * 2, [True, False] * 2, 'bool', id='switches'),
        pytest.param(['a', 'b', 'c', 4], ['a', 'b', 'c', '4'], 'string', id='one is a number'),
        pytest.param([None] * 4, [None] * 4, 'null', id='by default'),
        pytest.param([..., ..., ..., 'a'], ['None', 'None', 'None', 'a'], 'string', id='texts'),
        pytest.param(
            [[1], [2, 3], [], [0.5]], [[1.0], [2.0, 3.0], [], [0.5]],
            'list<item: double>', id='lists',
        ),
        pytest.param([10**30, 1, 2, 3], [1e30, 1.0, 2.0, 3.0], 'double', id='beyond 64 bits'),
    ],
)  # fmt: skip
def test_a_column_is_of_one_type_over_all_parts(write, values, kept, type_):
    """Also where only the last part has what decides about it."""
    column = write(values)['x']
    assert str(column.type).replace('element', 'item') == type_
    assert column.to_pylist() == kept


def test_what_is_by_default_among_numbers_is_no_number(write):
    *numbers, last = write([0.1, 0.2, 0.3, ...])['x'].to_pylist()
    assert numbers == [0.1, 0.2, 0.3]
    assert math.isnan(last)


def test_lists_that_no_column_can_hold_are_texts(write):
    """One has numbers and texts; some have numbers, others texts; one has a large number."""
    assert write([[1], [2, 'a'], [3], [4]])['x'].to_pylist() == ['[1]', "[2, 'a']", '[3]', '[4]']
    assert write([[1], [2], ['a'], []])['x'].to_pylist() == ['[1]', '[2]', "['a']", '[]']
    assert write([[1], [2**70], [], []])['x'].to_pylist() == ['[1]', f'[{2**70}]', '[]', '[]']


@pytest.mark.parametrize(
    'values', [[{}], [{}, {}], [[{}], []], [{'a': {}}, {'a': {}}], [[{'a': [{}]}]]]
)
def test_mappings_that_are_all_empty_are_texts(write, values):
    """Parquet has no type for them, also not inside of others."""
    assert write(values)['x'].to_pylist() == [str(value) for value in values]


def test_mappings_of_which_some_are_empty_are_mappings(write):
    """The entries that they lack are none, as those of others."""
    kept = write([{}, {'a': 1}, {'a': 2, 'b': {}}, {'b': {'c': 0.5}}])['x'].to_pylist()
    assert kept[:2] == [{'a': None, 'b': None}, {'a': 1, 'b': None}]
    assert kept[2:] == [{'a': 2, 'b': {'c': None}}, {'a': None, 'b': {'c': 0.5}}]
