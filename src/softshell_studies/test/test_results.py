"""The folder of a study refuses what is damaged or incomplete, and changes nothing in it."""

import json

import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_studies.report.page import write_report
from softshell_studies.study.results import JOURNAL, MANIFEST, Results, rows_of
from softshell_studies.study.study import read_study
from softshell_studies.study.work import Record

pytestmark = pytest.mark.needs('studies')
#: A file of a study that has lost the inside of what was asked for.
INNER = json.dumps({
    'name': 'study', 'digest': '', 'sessions': [], 'runs': 5, 'metrics': ['y'],
    'study': {'parameters': []},
})  # fmt: skip


@pytest.fixture
def made(tmp_path):
    """A study of five runs, all of which are done in the folder `out`."""
    (tmp_path / 'none.py').write_text('def nothing(parameters, seed):\n    return {}\n', 'utf-8')
    (tmp_path / 'study.yaml').write_text(
        'function: none.py:nothing\nmetrics: [y]\nparameters: {a: {values: [1, 2, 3, 4, 5]}}\n',
        'utf-8',
    )
    study = read_study(tmp_path / 'study.yaml')
    with Results(tmp_path / 'out', study) as results:
        results.add(Record(number, 0.1, {'y': float(number)}) for number in range(5))
    return study


@pytest.mark.parametrize('content', ['', '{', '{}', '[]', 'null', '{"name": "study"}', INNER])
def test_a_damaged_study_is_told(made, tmp_path, content):
    out = tmp_path / 'out'
    (out / MANIFEST).write_text(content, 'utf-8')
    told = rf'out/{MANIFEST} is damaged'
    with pytest.raises(SoftshellError, match=told):
        Results(out, made)
    with pytest.raises(SoftshellError, match=told):
        write_report(out)
    assert (out / MANIFEST).read_text('utf-8') == content


def test_the_same_parameters_in_another_order_are_another_study(made, tmp_path):
    """The numbers of its runs mean others."""
    axes = 'a: {values: [1, 2]}', 'b: {values: [1, 2]}'
    for number, order in enumerate((axes, axes[::-1])):
        (tmp_path / f'{number}.yaml').write_text(
            f'function: none.py:nothing\nmetrics: [y]\nparameters: {{{", ".join(order)}}}\n',
            'utf-8',
        )
    first, turned = (read_study(tmp_path / f'{number}.yaml') for number in range(2))
    for _ in range(2):
        Results(tmp_path / 'two', first).close()
    with pytest.raises(SoftshellError, match=r'two holds another study \(its.* order a, b\)'):
        Results(tmp_path / 'two', turned)


def test_a_journal_without_its_study_is_refused(made, tmp_path):
    """Its runs would be done again, and be in it twice."""
    out = tmp_path / 'out'
    (out / MANIFEST).unlink()
    told = f'out has {JOURNAL} without {MANIFEST}; expected both of a study, or another folder'
    with pytest.raises(SoftshellError, match=told):
        Results(out, made)
    assert not (out / MANIFEST).exists()


@pytest.mark.parametrize(
    'bad',
    [b'{"run": 2, "err\n', b'\0\0\0\n', b'\xff\n', b'[]\n', b'\n', b'{}\n', b'{"run": 2}\n'],
)
def test_a_damaged_line_of_a_journal_is_told_and_no_run_is_lost(made, tmp_path, bad):
    out = tmp_path / 'out'
    lines = (out / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[2] = bad
    (out / JOURNAL).write_bytes(b''.join(lines))
    told = rf'out/{JOURNAL}: line 3 is damaged; expected an object of JSON'
    with pytest.raises(SoftshellError, match=told):
        Results(out, made)
    with pytest.raises(SoftshellError, match=told):
        write_report(out)
    assert (out / JOURNAL).read_bytes() == b''.join(lines)


def test_only_a_last_line_that_was_cut_is_left_out(made, tmp_path):
    """It is complete but for its end, without which it could be longer."""
    out = tmp_path / 'out'
    text = (out / JOURNAL).read_bytes()
    (out / JOURNAL).write_bytes(text[:-1])
    assert [row['run'] for row in rows_of(out)] == [0, 1, 2, 3]
    with Results(out, made) as results:
        assert results.done == {0, 1, 2, 3}
        results.add([Record(4, 0.1, {'y': 4.0})])
    assert (out / JOURNAL).read_bytes() == text
