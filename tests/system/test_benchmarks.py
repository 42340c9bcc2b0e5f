"""Benchmarks work at any time, not only before a release when all of them run at full length."""

import asyncio
import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_description.foot_spheres import foot_spheres
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_sim.scenes import terrain
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Blocks, Compound, HeightField
from softshell_sim.world import World
from softshell_tools.parts import benchmarks

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = benchmarks(ROOT)
LONG = (
    'continuum',
    'dashboard',
    'engines',
    'environments',
    'scale',
    'soak',
    'studies',
    'faults',
    'fuzz',
    'rolling',
    'rough',
    'sim',
    'stack',
)


#: Whose help is looked at in each run of the tests; that of the others in long ones.
QUICK = ('client_import', 'ik')


def python(*arguments: str | Path) -> subprocess.CompletedProcess:
    paths = [str(ROOT / 'tools'), os.environ.get('PYTHONPATH', '')]
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(paths)},
    )


@pytest.fixture
def ik(monkeypatch):
    monkeypatch.syspath_prepend(PROGRAMS['ik'].parent)
    import ik

    return ik


@pytest.mark.parametrize(
    'name',
    [pytest.param(name, marks=pytest.mark.long if name in LONG else ()) for name in PROGRAMS],
)
def test_every_benchmark_runs_to_its_end(name):
    """With --quick, which asks no peers, each ends well."""
    run = python(PROGRAMS[name], '--quick')
    assert run.returncode == 0, run.stdout + run.stderr
    assert 'Traceback' not in run.stderr


@pytest.mark.parametrize(
    'name',
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in PROGRAMS],
)
def test_help_after_a_name_is_of_that_benchmark(name):
    """`bench NAME --help` shows the benchmark's own arguments; `bench --help` the command's."""
    text = python('-m', 'softshell_tools.cli', 'bench', name, '--help').stdout
    assert f'usage: ./softshell bench {name} ' in text
    assert '--quick' in text
    assert 'without it: list them' in python('-m', 'softshell_tools.cli', 'bench', '-h').stdout


@pytest.mark.parametrize(('name', 'wrong'), [('client_import', '0'), ('fuzz', 'many')])
def test_a_number_of_runs_or_messages_is_a_number(name, wrong):
    """What is no whole number from 1 on is refused in one line."""
    run = python(PROGRAMS[name], wrong)
    assert run.returncode == 2
    assert f'{wrong!r}: expected a whole number from 1 on' in run.stderr


@pytest.mark.parametrize(('status', 'expected'), [(0, 0), (1, 1)])
def test_a_fault_that_is_not_noted_counts_as_well(monkeypatch, capsys, status, expected):
    """A test that cannot begin has nothing in the report but its error: pytest ends with 1."""
    monkeypatch.syspath_prepend(PROGRAMS['faults'].parent)
    import faults

    def run(command, **options):
        (report,) = (word.partition('=')[2] for word in command if '--junitxml=' in str(word))
        noted = ''.join(
            f'<testcase><properties><property name="fault" value="{k}|a fault|ax"/></properties>'
            '</testcase>'
            for k in range(faults.EXPECTED)
        )
        lost = '<testcase><error/></testcase>' if status else ''
        Path(report).write_text(f'<testsuite>{noted}{lost}</testsuite>', encoding='utf-8')
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(faults.subprocess, 'run', run)
    monkeypatch.setattr(sys, 'argv', ['faults'])
    assert faults.main() == expected
    assert ('pytest ended with exit status 1' in capsys.readouterr().out) == bool(expected)


@pytest.fixture
def dashboard(monkeypatch):
    pytest.importorskip('rclpy', reason='ROS is not installed')
    monkeypatch.syspath_prepend(PROGRAMS['dashboard'].parent)
    import dashboard

    yield dashboard
    del sys.modules['dashboard']


def test_what_could_not_be_measured_is_missed(dashboard, monkeypatch, capsys):
    """Nothing is below every aim."""
    good = dashboard.Cost(0.1, 30.0, 1e-4)
    costs = {None: dataclasses.replace(good, part=np.nan), 0: good, 1: good}
    assert [*dashboard.not_measured(costs)] == []
    monkeypatch.setattr(dashboard, 'run', lambda *_: dashboard.Cost(np.nan, 0.0, np.nan))
    assert dashboard.main(['--quick', '--clients', '1']) == 1
    assert capsys.readouterr().err.splitlines() == [
        'missed: no page: no jitter was told',
        'missed: 0 at the page: the page has no process',
        'missed: 0 at the page: no jitter was told',
        'missed: 1 at the page: the page has no process',
        'missed: 1 at the page: nothing is shown',
        'missed: 1 at the page: no jitter was told',
    ]


def test_a_client_that_fails_ends_the_measurement(dashboard, monkeypatch):
    """What it was shown until then tells nothing."""

    async def client(address, taken):
        raise OSError('nobody is there')

    monkeypatch.setattr(dashboard, 'client', client)
    monkeypatch.setattr(dashboard, 'BEGIN', 0.0)
    with pytest.raises(OSError, match='nobody is there'):
        asyncio.run(dashboard.measured('', 1, None, 0.0, None))


def test_a_page_that_does_not_come_is_not_waited_for_for_ever(dashboard, monkeypatch):
    """If it says nothing, or a node of its stack ends."""
    stack = SimpleNamespace(check=lambda: None)
    assert (
        dashboard.address_of(stack, ['a line', '[dashboard]: open http://here']) == 'http://here'
    )
    monkeypatch.setattr(dashboard, 'COMING', 0.1)
    with pytest.raises(TimeoutError, match=r'its address within 0\.1 s'):
        dashboard.address_of(stack, ['a line'])

    def check():
        raise SoftshellError('bridge ended')

    with pytest.raises(SoftshellError, match='bridge ended'):
        dashboard.address_of(SimpleNamespace(check=check), [])


@pytest.fixture
def walks(monkeypatch):
    monkeypatch.syspath_prepend(PROGRAMS['engines'].parent)
    import _engine_walks

    return _engine_walks


@pytest.mark.long
@pytest.mark.parametrize('field', [False, True])
def test_rubble_is_laid_as_a_height_field_where_that_is_asked_for(monkeypatch, field):
    """Of the same heights as that of boxes; ramps are what they are."""
    monkeypatch.syspath_prepend(PROGRAMS['rough'].parent)
    import rough

    laid = []

    class EndedError(Exception):
        """Ends a run when its ground is laid."""

    def lay(shape, friction, pose):
        laid.append(shape)
        raise EndedError

    monkeypatch.setattr(terrain, 'laid', lay)
    for kind in ('rubble', 'ramp'):
        with pytest.raises(EndedError):
            rough.run(kind, True, 'mujoco', 'tripod', field, 300)
    rubble, ramp = laid
    assert type(rubble) is (HeightField if field else Blocks)
    assert np.array_equal(rubble.heights, terrain.rubble((3.4, 1.6), 0.04, 0.16, 300).heights)
    assert type(ramp) is Compound


def feet_of(robot):
    """(feet, 4, 4) of the feet in the base, in the start pose."""
    found = []
    for name in robot.legs.chains:
        tip = robot.chains[name].tip_link
        chain = chain_from_urdf(robot.urdf, robot.base.link, tip, name)
        joints = robot.pose(robot.start)[[robot.index(v) for v in chain.variables]]
        found.append(chain.forward(joints))
    return np.array(found)


def trace_of(walks, robot, bases):
    """The robot in its start pose, its base at (4, 4) poses, all feet on the ground."""
    trace = walks.Trace()
    trace.feet += [base @ feet_of(robot) for base in bases]
    trace.touching += [np.ones(len(robot.legs.feet), dtype=bool) for _ in bases]
    return trace


def shifted(place, turn=None):
    """(4, 4) pose at a place [m], turned by a rotation."""
    pose = np.eye(4)
    pose[:3, 3] = place
    if turn is not None:
        pose[:3, :3] = turn.as_matrix()
    return pose


def test_a_robot_that_is_dragged_slips_by_the_way(walks):
    """On a straight line each foot slips as far as the base goes; in the air it slips nothing."""
    robot = load_robot('quadruped')
    trace = trace_of(walks, robot, [shifted([0.01 * k, 0.02 * k, 0.0]) for k in range(3)])
    assert walks.slips(robot, trace) == pytest.approx(2 * np.hypot(0.01, 0.02))
    trace.touching[1] = np.zeros(4, dtype=bool)
    assert walks.slips(robot, trace) == pytest.approx(0.0)


def test_a_foot_that_rolls_does_not_slip(walks):
    """A base that pitches about a foot's middle and goes on by r times the angle rolls on it."""
    robot, angle = load_robot('quadruped'), 0.01
    radius = foot_spheres(robot).radius[0]
    pose = feet_of(robot)[0]
    middle = pose[:3, 3] + pose[:3, :3] @ foot_spheres(robot).centre[0]
    turn = Rotation.from_euler('y', angle)
    place = middle - turn.apply(middle) + [radius * angle, 0.0, 0.0]
    slips = walks.slips(robot, trace_of(walks, robot, [np.eye(4), shifted(place, turn)]))
    assert slips[0] == pytest.approx(0.0, abs=1e-12)
    assert slips.max() > 1e-5  # of a foot at another height


def test_a_foot_is_where_its_own_fold_has_it(walks):
    """One of Shell's six folds that gives way by 0.1 rad takes its foot along a chord of that."""
    world = World(load_robot('shell'), WorldSettings(engine='mujoco'))
    before, joints = walks.foot_poses(world), world.position.copy()
    joints[world.joint_map.names.index('lower_1_fold')] -= 0.1
    world.engine.place_joints(world.body, joints)
    moved = np.linalg.norm((walks.foot_poses(world) - before)[:, :3, 3], axis=1)
    axis = 0.066 * np.array([np.cos(np.pi / 3), np.sin(np.pi / 3)])  # docs/shell.md
    radius = np.linalg.norm(before[1, :2, 3] - world.measured.base.position[:2] - axis)
    assert moved[1] == pytest.approx(2 * radius * np.sin(0.05))
    assert np.delete(moved, 1) == pytest.approx(0.0, abs=1e-9)
    world.close()


def test_the_judge_counts_what_meets_the_goal_within_limits(ik):
    """True answers count; those a millimetre off or beyond a limit do not."""
    for case in ik.cases(4):
        assert ik.judge(case, case.truth)[0] == 1.0
        off, beyond = case.truth.copy(), case.truth.copy()
        off[0] += 0.01
        beyond[:2] = case.chain.upper + 1e-3
        assert ik.judge(case, off)[0] == pytest.approx(0.75)
        assert ik.judge(case, beyond)[0] == pytest.approx(0.5)


def test_peers_are_asked_for_the_same_poses(ik):
    """The chain that peers are handed reaches the poses that they are asked for at the truth."""
    import _ik_peers as peers
    from _ik_problem import good

    for case in ik.cases(3):
        problem = peers.problem_of(ik.question_of(case), searches=1)
        assert all(good(problem, i, q) for i, q in enumerate(case.truth))
        assert np.array_equal(problem.limits, [case.chain.lower, case.chain.upper])
