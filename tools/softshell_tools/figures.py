"""Keeps the output of benchmarks with machine and date, and shows it in README and docs."""

import datetime
import io
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from softshell_tools.inserts import insert
from softshell_tools.installation import ROOT
from softshell_tools.reference.markdown import anchor

FOLDER = ROOT / 'docs' / 'figures'
#: Where benchmarks write pictures, each as `NAME.png`.
DRAWN = ROOT / 'out' / 'bench'
#: Of a picture that is kept: most pixels in a row or column, and size below which it stays [B].
WIDTH, SIZE = 900, 60_000
#: The page that has all of each output.
PAGE = ROOT / 'docs' / 'figures.md'


@dataclass(frozen=True)
class Shown:
    """A benchmark that the README and the page of figures show.

    Args:
        title: what it compares.
        legend: what its words and columns mean, in sentences.
        parts: titles of tables and beginnings of lines that the README shows; empty: everything;
            None: it is on the page of figures alone.
        options: of the command, e.g. `--engine pybullet`, if only runs with them are meant.
        drawn: what has to be said of its picture, in sentences, below it on the page of figures.
    """

    title: str
    legend: str
    parts: tuple[str, ...] | None = ()
    options: str = ''
    drawn: str = ''


#: The benchmarks that are shown, by name; what is run with other options has its own after a `-`.
SHOWN = {
    'ik': Shown(
        'Inverse kinematics beside its peers',
        'Times are µs for one solve. Warm: from a start near the solution; cold: from anywhere. A '
        'batch is many problems in one call. Of a peer only what solves 99 % counts.',
        ('ours beside the fastest peer', 'a call of solve_ik', 'twelve limbs'),
    ),
    'sim': Shown(
        'Simulation beside bare engines and Klamp’t',
        'Bare is the engine by its own calls, with the same robot, floor and law of control; a '
        'step is one of physics, a tick one of the bridge. The walk of the whole stack is timed '
        'as fast as it runs, over × real time, and then at factor 1, where jitter and latency are '
        'those of `joint_states`.',
        ('the whole stack', 'five scenes'),
    ),
    'continuum': Shown(
        'Soft rods beside a measured one, PyElastica and MuJoCo',
        'Where the tip of a rod with tendons is, measured by others, and by four ways to compute '
        'it: statics and a chain in an engine are ours.',
        (
            *('trial', '1    24.50', '3    23.90', '5    21.90', '7    18.80', '9    14.20'),
            *('mean', 'E by the first', 'PyElastica takes', 'cable of MuJoCo 3 takes'),
        ),
    ),
    'rolling': Shown(
        'Rolling as a ball',
        'Shell in MuJoCo, from 20 positions of rest at random friction: mean speed over 3 m from '
        'rest and how far off its heading; time to turn to a new heading; way and time to stop; '
        'tilt after righting and time for it; how level it stands in the end.',
        ('seed', '[m/s]', 'median', 'least', 'most'),
    ),
    'rolling-pybullet': Shown(
        'Rolling as a ball in PyBullet', 'The same in PyBullet.', None, '--engine pybullet'
    ),
    'rough': Shown(
        'Walking over rough ground',
        'Shell in MuJoCo over blocks of up to 4 cm, up a ramp of 10° and up steps of 3 cm, with '
        'feet fitted to the ground (footing on) and by the plan alone (off). Tilt is that of the '
        'base.',
        None,
    ),
    'rough-pybullet': Shown(
        'Walking over rough ground in PyBullet', 'The same in PyBullet.', None, '--engine pybullet'
    ),
    'stack': Shown(
        'Start and end of all nodes, and what they take while the robot stands', 'Times in s.'
    ),
    'soak': Shown(
        'An hour of everything at once',
        'How often each thing was done to one simulated stack, and in the last sixth to emulated '
        'servos that break, and the longest time until the stack said so; some of its rows. A '
        'node has a row for each start, but brief lives share one, with their number; memory and '
        'handles are its first and last, and their growth in an hour is the median slope from '
        '30 % of its life on, and in its second half.',
        (
            *('┃ what', '│ pages', '│ act ', '│ ball', '│ drive', '│ stop', '│ topple', '│ falls'),
            *('│ recovered', '│ bad messages of pages', '│ bad messages  '),
            *('│ requests among them', '│ answered', '│ stops and resets'),
            *('│ end of the bridge', '│ servos: dead', '│ servos: sag', '│ problems'),
            *('┃ node', '│ bridge,', '│ bridge ', '│ kinematics', '│ action_manager'),
            *('│ black_box', '│ dashboard'),
        ),
        drawn='Handles are counted every 2 s. The two times at which the bridge of the simulation '
        'has only 6, it is ending and has closed its sockets: an end of the bridge is marked '
        'there. The bridge of the servos has fewer while a bus that was unplugged is closed.',
    ),
}  # fmt: skip
COLUMNS = '112'  # width of the tables [characters]
TABLE = '┏└'  # how the first and the last line of a table begin


def record(name: str, command: Sequence[str]) -> int:
    """Run a benchmark, keep its output and its picture, and show them in README and docs.

    Those of a benchmark that fails, or lacks what the README shows, are not kept.

    Args:
        name: name of the benchmark.
        command: its command line: the interpreter, the program and its arguments.

    Returns:
        The exit status of the benchmark.

    Raises:
        OSError: they cannot be written.
        SoftshellError: the output lacks a part that the README shows.
    """
    from softshell_common.whole_file import write_whole

    drawn = DRAWN / f'{name}.png'
    lines, before = [], drawn.exists() and drawn.stat().st_mtime_ns
    with subprocess.Popen(
        command,
        env={**os.environ, 'COLUMNS': COLUMNS, 'NO_COLOR': '1'},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line.rstrip())
    if process.returncode == 0:
        FOLDER.mkdir(exist_ok=True)
        head = f'{words(name, command)}\n{machine()}, {datetime.datetime.now().date()}\n'
        kept = [line for line in lines if not line.startswith('written: ')]
        text = '\n'.join([head, *kept]).rstrip() + '\n'
        kept_name = name_of(name, command[2:])
        refuse_lacking(kept_name, text)
        write_whole(FOLDER / f'{kept_name}.txt', text.encode())
        picture = FOLDER / f'{kept_name}.webp'
        if drawn.exists() and drawn.stat().st_mtime_ns != before:
            write_whole(picture, small(drawn))
        else:  # an older one is of another run
            picture.unlink(missing_ok=True)
        insert('figures', block())
        insert('figures', whole(), PAGE)
    return process.returncode


def refuse_lacking(name: str, text: str) -> None:
    """Check that an output has what the README shows of it.

    Args:
        name: name under which it would be kept.
        text: the output, with the command above it.

    Raises:
        SoftshellError: it lacks a part.
    """
    from softshell_kinematics.errors import SoftshellError

    shown = SHOWN.get(name)
    if shown is None or shown.parts is None:
        return
    try:
        excerpt(text, shown.parts)
    except ValueError as error:
        raise SoftshellError(f'{error}, which the README shows; not kept') from None


def name_of(name: str, arguments: Sequence[str]) -> str:
    """Name under which a run is kept: its benchmark's, or that of the options it was run with."""
    given = ' '.join(arguments).replace('=', ' ')
    return next(
        (
            key
            for key, shown in SHOWN.items()
            if key.partition('-')[0] == name and shown.options and shown.options in given
        ),
        name,
    )


def small(path: Path) -> bytes:
    """A picture as WebP, at most `WIDTH` wide and high and, if it can be, of less than `SIZE`."""
    from PIL import Image

    with Image.open(path) as opened:
        picture = opened.convert('RGB')
    picture.thumbnail((WIDTH, WIDTH))
    for quality in (80, 60, 40, 20, 0):
        stream = io.BytesIO()
        picture.save(stream, format='WEBP', quality=quality)
        if stream.tell() < SIZE:
            break
    return stream.getvalue()


def words(name: str, command: Sequence[str]) -> str:
    """The command as a user types it."""
    return ' '.join(['./softshell bench', name, *command[2:]])


def machine() -> str:
    """The processor, the number of cores that this process may use, and the version of Python."""
    lines = Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines()
    models = [line.partition(':')[2].strip() for line in lines if line.startswith('model name')]
    processor = models[0] if models else platform.machine()
    cores = len(os.sched_getaffinity(0))
    return f'{processor}, {cores} cores, Python {platform.python_version()}'


def block() -> str:
    """The figures' part of the README: what is most telling of each output."""
    return '\n\n'.join(
        f'**{shown.title}.** {shown.legend} [All of it](docs/figures.md#{anchor(shown.title)}).'
        f'\n\n```\n{excerpt(text, shown.parts)}\n```'
        for _, shown, text in outputs()
        if shown.parts is not None
    )


def whole() -> str:
    """The page of all figures."""
    return '\n\n'.join(
        f'## {shown.title}\n\n{shown.legend}\n\n```\n{text}\n```{picture_of(name, shown)}'
        for name, shown, text in outputs()
    )


def picture_of(name: str, shown: Shown) -> str:
    """The kept picture of a benchmark, below its output, and what it shows; empty if none."""
    path = FOLDER / f'{name}.webp'
    if not path.is_file():
        return ''
    told = f'\n\n{shown.drawn}' if shown.drawn else ''
    return f'\n\n![{shown.title}](figures/{path.name}){told}'


def outputs() -> Iterator[tuple[str, Shown, str]]:
    """The benchmarks whose output was kept: name, what is shown, and the output."""
    for name, shown in SHOWN.items():
        path = FOLDER / f'{name}.txt'
        if path.is_file():
            yield name, shown, path.read_text(encoding='utf-8').rstrip()


def excerpt(text: str, parts: Sequence[str]) -> str:
    """Command, machine and date, and some parts of an output.

    Args:
        text: the output with these two lines above it.
        parts: titles of tables, or beginnings of lines; none: everything.

    Raises:
        ValueError: the output has no such part.
    """
    if not parts:
        return text
    lines = text.splitlines()
    taken = lines[:2]
    for part in parts:
        first = next((k for k, one in enumerate(lines) if one.strip().startswith(part)), None)
        if first is None:
            raise ValueError(f'{lines[0]}: printed nothing that begins with {part!r}')
        last = first
        if lines[first + 1 : first + 2] and lines[first + 1].startswith(TABLE[0]):
            last = next(k for k in range(first, len(lines)) if lines[k].startswith(TABLE[1]))
        taken += ['', *lines[first : last + 1]] if last > first else [lines[first]]
    return '\n'.join(taken)
