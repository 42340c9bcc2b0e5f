"""What commands write into the README is there as they write it, and so are its pictures."""

import re
import sys

import pytest
from PIL import Image

from softshell_kinematics.errors import SoftshellError
from softshell_tools import figures, inserts
from softshell_tools.gallery.block import block
from softshell_tools.installation import ROOT

README = (ROOT / 'README.md').read_text(encoding='utf-8')


def test_the_gallery_is_as_its_command_writes_it():
    """Every picture stands beside the command that makes it."""
    assert inserts.wrapped('gallery', block()) in README


def test_the_figures_are_those_that_benchmarks_printed():
    """Each has its command, machine and date above it; a page has all that the README has not.

    What the README shows was recorded; what is on the page alone may not be yet.
    """
    assert inserts.wrapped('figures', figures.block()) in README
    page = figures.PAGE.read_text(encoding='utf-8')
    assert inserts.wrapped('figures', figures.whole()) in page
    recorded = {name for name, *_ in figures.outputs()}
    assert recorded >= {name for name, shown in figures.SHOWN.items() if shown.parts is not None}
    for name in recorded:
        head = (figures.FOLDER / f'{name}.txt').read_text(encoding='utf-8').splitlines()[:2]
        assert head[0].startswith(f'./softshell bench {name.partition("-")[0]}')
        assert figures.name_of(name.partition('-')[0], head[0].split()[3:]) == name
        assert 'cores, Python 3.' in head[1]


def test_an_excerpt_has_the_tables_and_lines_that_are_named():
    """Below command, machine and date, in the order of their names."""
    table = '   two rows [s]\n┏━━━┓\n│ 1 │\n└───┘'
    text = f'./softshell bench mine\nmachine\n\n{table}\nmean 3\nother {table}'
    assert figures.excerpt(text, ()) == text
    found = figures.excerpt(text, ('mean', 'two rows'))
    assert found == f'./softshell bench mine\nmachine\nmean 3\n\n{table}'
    with pytest.raises(ValueError, match="nothing that begins with 'three rows'"):
        figures.excerpt(text, ('three rows',))


def test_a_part_is_written_between_its_lines_alone(tmp_path):
    """What stands around it stays; without its lines nothing is written."""
    page = tmp_path / 'page.md'
    begin, end = inserts.marks('part')
    page.write_text(f'before\n{begin}\nold\n{end}\nafter\n')
    inserts.insert('part', 'new', page)
    assert page.read_text() == f'before\n{begin}\n\nnew\n\n{end}\nafter\n'
    page.write_text('no lines')
    with pytest.raises(ValueError, match='once each'):
        inserts.insert('part', 'new', page)
    assert page.read_text() == 'no lines'


def test_on_a_full_disk_pages_and_figures_stay_as_they_were(tmp_path, monkeypatch):
    page, kept, program = tmp_path / 'page.md', tmp_path / 'mine.txt', tmp_path / 'bench.py'
    old = inserts.wrapped('part', 'old')
    page.write_text(old)
    kept.write_text('old')
    program.write_text('print("figures")')
    monkeypatch.setattr(figures, 'FOLDER', tmp_path)

    def full(handle):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr('os.fsync', full)
    with pytest.raises(OSError, match='No space left'):
        inserts.insert('part', 'new', page)
    with pytest.raises(OSError, match='No space left'):
        figures.record('mine', [sys.executable, str(program)])
    assert (page.read_text(), kept.read_text()) == (old, 'old')


@pytest.mark.parametrize(('status', 'kept'), [(0, True), (3, False)])
def test_what_a_benchmark_printed_is_kept_unless_it_failed(status, kept, tmp_path, monkeypatch):
    """With its command, machine and date."""
    program = tmp_path / 'bench.py'
    program.write_text(f'import sys\nprint("figures")\nsys.exit({status})\n')
    monkeypatch.setattr(figures, 'FOLDER', tmp_path / 'figures')
    monkeypatch.setattr(figures, 'insert', lambda *_: None)
    assert figures.record('mine', [sys.executable, str(program)]) == status
    path = tmp_path / 'figures' / 'mine.txt'
    assert path.is_file() == kept
    if kept:
        assert path.read_text().startswith('./softshell bench mine\n')
        assert path.read_text().endswith('\n\nfigures\n')


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Function: the status of a recorded run of a program, of which `mine` is shown."""
    shown = figures.Shown('My run', 'In s.', None)
    other = figures.Shown('My run in PyBullet', 'In s.', None, '--engine pybullet')
    monkeypatch.setattr(figures, 'SHOWN', {'mine': shown, 'mine-pybullet': other})
    monkeypatch.setattr(figures, 'FOLDER', tmp_path / 'figures')
    monkeypatch.setattr(figures, 'DRAWN', tmp_path / 'out')
    monkeypatch.setattr(figures, 'insert', lambda *_: None)

    def run(text, *arguments):
        program = tmp_path / 'bench.py'
        program.write_text(text)
        return figures.record('mine', [sys.executable, str(program), *arguments])

    return run


def test_the_picture_of_a_run_is_kept_small_and_shown_on_the_page(recorded, tmp_path):
    """That of another run is not: it goes with the output of that run."""
    picture, kept = tmp_path / 'out' / 'mine.png', tmp_path / 'figures' / 'mine.webp'
    picture.parent.mkdir()
    draw = (
        'import numpy as np\nfrom PIL import Image\n'
        'noise = np.random.default_rng(0).integers(0, 255, (300, 400, 3), dtype=np.uint8)\n'
        f'Image.fromarray(noise).resize((1200, 900)).save({str(picture)!r})\n'
        'print("figures")'
    )
    assert recorded(draw + '\nraise SystemExit(1)') == 1
    assert not kept.exists()
    assert recorded(draw) == 0
    assert picture.stat().st_size > kept.stat().st_size
    assert kept.stat().st_size < 60_000
    with Image.open(kept) as opened:
        assert (opened.format, opened.size) == ('WEBP', (900, 675))
    assert figures.whole().endswith('figures\n```\n\n![My run](figures/mine.webp)')
    assert recorded('print("figures")') == 0
    assert not kept.exists()
    assert figures.whole().endswith('figures\n```')


def test_what_the_page_alone_shows_is_not_in_the_readme(recorded, tmp_path):
    """A run with options that are shown apart is kept apart, and does not replace the other."""
    assert recorded('print(1)') == 0
    assert recorded('print(2)', '--engine', 'pybullet') == 0
    assert recorded('print(3)', '--engine=pybullet', '--seeds', '2') == 0
    assert recorded('print(4)', '--engine', 'mujoco') == 0
    kept = {path.stem: path.read_text()[-2] for path in (tmp_path / 'figures').iterdir()}
    assert kept == {'mine': '4', 'mine-pybullet': '3'}
    assert '## My run in PyBullet' in figures.whole()
    assert figures.block() == ''


def test_a_run_without_what_the_readme_shows_is_not_kept(recorded, tmp_path, monkeypatch):
    """The one of before stays, and can be shown; what is missing is told in one line."""
    monkeypatch.setitem(figures.SHOWN, 'mine', figures.Shown('My run', 'In s.', ('mean',)))
    kept = tmp_path / 'figures' / 'mine.txt'
    assert recorded('print("mean 3")') == 0
    before = kept.read_text()
    with pytest.raises(SoftshellError, match=r"nothing that begins with 'mean', which the README"):
        recorded('print("most 3")', '--quick')
    assert kept.read_text() == before
    assert 'mean 3' in figures.block()


def test_the_node_that_is_restarted_is_among_the_rows_of_the_readme():
    """The row of its brief lives, and that of its long one."""
    soak = figures.block().partition('bench soak')[2]
    rows = [line.split()[1].rstrip(',') for line in soak.splitlines() if line[:2] in ('┃ ', '│ ')]
    assert rows[rows.index('node') :][:4] == ['node', 'bridge', 'bridge', 'kinematics']


@pytest.mark.parametrize('path', sorted(figures.FOLDER.glob('*.txt')), ids=lambda path: path.stem)
def test_figures_name_no_folder_of_the_machine(path):
    """Files are named from the root of the repository."""
    assert re.findall(r'(?<![\w.])/[\w.-]+/[\w./-]+', path.read_text(encoding='utf-8')) == []
