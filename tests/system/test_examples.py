"""Every example runs by the command that it shows, and prints or writes what it says."""

import math
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from softshell_bringup.domain import free_domain
from softshell_tools.surroundings import installed_browser

EXAMPLES = Path(__file__).parents[2] / 'examples'
FILES = sorted(EXAMPLES.glob('*.py'))
LONGEST = 59  # lines
#: The interpreter in the commands; the tests' own may be that of another environment.
INTERPRETER = '.venv/bin/python'


def command_of(path: Path) -> str:
    """The command in an example's docstring."""
    (command,) = re.findall(r'^Run: (.*)$', path.read_text(encoding='utf-8'), re.MULTILINE)
    return command


def numbers(text: str, pattern: str) -> list[float]:
    """The numbers of the first line that a pattern fits."""
    found = re.search(pattern, text, re.MULTILINE)
    assert found, f'{pattern} does not fit\n{text}'
    return [float(group) for group in found.groups()]


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str], str]:
    """Function: what an example prints, run by its command in an otherwise empty folder."""
    (tmp_path / 'examples').symlink_to(EXAMPLES)

    def run(name: str) -> str:
        program, *arguments = shlex.split(command_of(EXAMPLES / name))
        assert program == INTERPRETER
        process = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, 'ROS_DOMAIN_ID': str(free_domain())},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert process.returncode == 0, process.stderr
        return process.stdout

    return run


def is_picture(path: Path) -> bool:
    """Whether a file is a PNG with something in it."""
    return path.read_bytes()[:8] == b'\x89PNG\r\n\x1a\n' and path.stat().st_size > 10_000


def test_every_example_is_short_listed_and_tested():
    """They are numbered, each below 60 lines; README.md and this file name every one."""
    assert [path.name[:3] for path in FILES] == [f'{k:02}_' for k in range(1, len(FILES) + 1)]
    for path in FILES:
        assert len(path.read_text(encoding='utf-8').splitlines()) <= LONGEST, path.name
    listed = re.findall(r'^\| `(.+?)` \|', (EXAMPLES / 'README.md').read_text(), re.MULTILINE)
    assert listed == [command_of(path) for path in FILES]
    assert [command.split()[1] for command in listed] == [
        f'examples/{path.name}' for path in FILES
    ]
    tested = re.findall(r"run\('(\w+\.py)'\)", Path(__file__).read_text(encoding='utf-8'))
    assert sorted(tested) == [path.name for path in FILES]


def test_one_world(run):
    """At rest the base is at the height of the pose, and the feet carry the whole weight."""
    output = run('01_world.py')
    assert numbers(output, r'height of the base: (\S+) m') == pytest.approx([0.161], abs=3e-3)
    assert numbers(output, r'weight on the feet: (\S+) N') == pytest.approx([34.3], rel=0.01)


def test_inverse_kinematics(run):
    """What is in reach is reached, smoothly along a path; what is not says so."""
    output = run('02_inverse_kinematics.py')
    assert numbers(output, r'off by (\S+) m')[0] < 1e-8
    assert (
        numbers(output, r'circle: all reached: True, largest step of a joint (\S+) rad')[0] < 0.02
    )
    assert numbers(output, r'too far: UNREACHABLE, (\S+) m short')[0] > 0.5


def test_plan(run, tmp_path):
    """A walk of 0.4 m is five strides and one to halt, of half a second each."""
    output = run('03_plan.py')
    count, duration, _ = numbers(output, r'(\d+) sub-actions, (\S+) s, fastest joint (\S+) rad/s')
    assert (count, duration) == (6, 3.0)
    assert is_picture(tmp_path / 'out' / 'feet.png')


@pytest.mark.long
def test_shell(run):
    """The robot walks and turns as far as it is told, and lies where its belly carries it."""
    output = run('04_shell.py')
    assert numbers(output, r'walked (\S+) m') == pytest.approx([0.4], abs=0.03)
    assert numbers(output, r'turned (\S+)°') == pytest.approx([60.0], abs=4.0)
    assert numbers(output, r'bows at a height of (\S+) m') == pytest.approx([0.146], abs=5e-3)
    assert numbers(output, r'lies at \[.* (\S+)\] m') == pytest.approx([0.081], abs=4e-3)


@pytest.mark.long
def test_record(run, tmp_path):
    """A run has samples of every joint, and these follow their commands."""
    output = run('05_record.py')
    samples, joints, duration = numbers(output, r'(\d+) samples of (\d+) joints over (\S+) s')
    assert joints == 37
    assert samples / duration == pytest.approx(125.0, rel=0.1)  # each second step of 4 ms
    assert numbers(output, r'joints off by (\S+) rad rms')[0] < 0.03
    assert is_picture(tmp_path / 'out' / 'run.png')


def test_follow_joint_trajectory(run):
    """A goal that can be is reached; one with a joint that is not there has the code for that."""
    output = run('06_follow_joint_trajectory.py')
    reached, seen, refused = output.splitlines()
    assert reached == 'error code 0: reached'
    assert numbers(seen, r'at (\S+) (\S+) rad') == pytest.approx([-0.8, 0.9], abs=0.1)
    assert refused.startswith("error code -2: unknown joints: 'nose'; known: shoulder")


@pytest.mark.long
def test_robot(run):
    """The lamp bows as deep as it is told."""
    output = run('07_robot.py')
    angles = numbers(output, r"\{'ankle': (\S+), 'neck': (\S+)\}")
    assert angles == pytest.approx([0.4, 0.8], abs=0.02)


@pytest.mark.long
def test_bridge(run):
    """The stack's action is performed by the motors of the example."""
    (duration,) = numbers(run('08_bridge.py'), r'lagging motors drew a rectangle in (\S+) s')
    assert 5.5 <= duration < 7.0  # as planned, to the digit that is printed


@pytest.mark.long
def test_batch(run):
    """Shell stays below the slope of the friction, and above it slides as far as a block would.

    Its legs give way by some centimetres more, on their way into the slide.
    """
    output = run('09_batch.py')
    assert output.count(' of 6 done') == 6
    found = re.findall(r'^(\S+)°: slid (\S+) m$', output, re.MULTILINE)
    assert len(found) == 6
    for angle, way in [(float(angle), float(way)) for angle, way in found]:
        steep = math.radians(angle)
        acceleration = 9.81 * (math.sin(steep) - 0.3 * math.cos(steep))
        expected = max(0.5 * acceleration * 1.0**2, 0.0)
        assert expected - 0.002 < way < (expected + 0.05 if expected else 0.01), angle


def test_soft_finger(run):
    """An engine brings it to rest where statics say, bent by about as much as it is long."""
    output = run('10_soft_finger.py')
    assert numbers(output, r'statics: tip at \[(\S+)')[0] > 0.04
    assert numbers(output, r'(\S+) mm off')[0] < 0.05


@pytest.mark.long
def test_world(run):
    """The front foot meets the box on the way, and pushes it on."""
    output = run('11_world.py')
    assert numbers(output, r'walked to (\S+) m') == pytest.approx([0.5], abs=0.02)
    assert 0.1 < numbers(output, r'pushed the box by (\S+) m')[0] < 0.5


@pytest.mark.long
@pytest.mark.needs('studies')
def test_study(run, tmp_path):
    """All runs of the study are in its table."""
    output = run('12_study.py')
    assert numbers(output, r'(\d+) runs, in (\d+) of which')[0] == 243
    assert (tmp_path / 'out' / 'rods' / 'runs.parquet').is_file()


@pytest.mark.needs('studies')
def test_environment(run):
    """The policy that comes with the task does it, if not as well as the one by hand."""
    found = re.findall(r'ends (\S+) mm from its target', run('13_environment.py'))
    assert len(found) == 3
    assert max(map(float, found)) < 60.0


@pytest.mark.long
def test_report(run, tmp_path):
    """The bag has a page, and its numbers are those of a walk of 0.4 m with little slip."""
    output = run('14_report.py')
    assert '</html>' in (tmp_path / 'out' / 'walk' / 'report.html').read_text(encoding='utf-8')
    way, slip = numbers(output, r'way (\S+) m, slip of all feet (\S+) m')
    assert way == pytest.approx(0.4, abs=0.05)
    assert slip < 0.5 * way
    work, cost = numbers(output, r'work (\S+) J, cost of transport (\S+)$')
    assert cost == pytest.approx(work / (34.3 * way), rel=0.03)  # over weight [N] and way
    assert 0.0 < numbers(output, r'least exact: \w+, (\S+) rad off at most')[0] < 0.3


@pytest.mark.long
def test_replay(run):
    """The trajectories of the bag bring the simulated arm to where they brought the mock."""
    output = run('15_replay.py')
    line = r': ends at \[ *(\S+) +(\S+) +(\S+) *\] rad, within (\S+) rad of its commands'
    *mock, exact = numbers(output, 'mock' + line)
    *simulated, error = numbers(output, 'sim' + line)
    assert mock == pytest.approx([-0.8, 0.9, 0.4], abs=0.01)  # the wrist stays at its start
    assert simulated == pytest.approx(mock, abs=0.06)  # the goal tolerance of its joints
    assert exact < error < 0.2


@pytest.mark.long
@pytest.mark.needs('web', 'browser')
@pytest.mark.skipif(not installed_browser(), reason='no Chromium here: apt install chromium')
def test_page(run, tmp_path):
    """A held key walks, and the robot stops within half a stride when its page is gone."""
    output = run('16_page.py')
    assert numbers(output, r'walked to (\S+) m')[0] >= 0.3
    assert abs(numbers(output, r'stopped (\S+) m after')[0]) < 0.1
    assert is_picture(tmp_path / 'out' / 'page.png')
