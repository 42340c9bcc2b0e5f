"""Runs that are recorded as bags and shown in pictures."""

import json
from pathlib import Path

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import PERIOD, CommandedRobot
from softshell_studies.film import Film
from softshell_studies.observers import current_film, filmed, recorded
from softshell_studies.report.page import write_report
from softshell_studies.run_bag import RunBag
from softshell_studies.study.results import rows_of
from softshell_studies.study.scale import Line
from softshell_studies.study.study import read_study
from softshell_studies.study.sweep import sweep

#: Two short ones.
WALKS = {
    'scenario': 'walk',
    'fixed': {'distance': 0.05, 'engine': 'mujoco'},
    'parameters': {'gait.step': {'values': [0.05, 0.06]}},
}


def test_a_bag_has_measurements_and_commands(tmp_path):
    """Read by another library; a second bag in the same folder replaces the first."""
    from rosbags.highlevel import AnyReader

    for _ in range(2):
        with RunBag(tmp_path / 'deep/000003') as bag, recorded(bag):
            robot = CommandedRobot(WorldSettings(engine='mujoco'), 'arm')
            robot.rest(0.5)
            robot.close()
    with AnyReader([tmp_path / 'deep/000003']) as reader:
        found = {}
        for connection, stamp, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            found.setdefault(connection.topic, []).append((stamp, message))
    assert len(found['/joint_states']) == pytest.approx(25, abs=1)
    stamp, last = found['/joint_states'][-1]
    assert last.header.stamp.sec * 10**9 + last.header.stamp.nanosec == stamp
    assert 0.5 - 0.02 - PERIOD < stamp * 1e-9 <= 0.5 + PERIOD
    assert tuple(last.name) == robot.world.joint_map.names
    assert last.position == pytest.approx(robot.core.measured.position, abs=0.01)
    ((_, description),) = found['/robot_description']
    assert '<robot name=' in description.data
    commands = found['/joint_commands'][-1][1]
    assert commands.position == pytest.approx(robot.core.command.value[: len(commands.name)])


def test_a_folder_that_cannot_be_written_is_named():
    with pytest.raises(SoftshellError, match='/proc/nothing/bag cannot be written'):
        RunBag(Path('/proc/nothing/bag'))


def test_film_and_recorder_are_set_only_inside_their_block():
    """Pictures of a filmed robot show its visual meshes."""
    assert not current_film().wanted
    with filmed(Film()) as film:
        assert current_film() is film
        robot = CommandedRobot(WorldSettings(engine='mujoco'), 'arm')
        robot.rest(0.2)
        assert robot.world.settings.visuals
        robot.close()
    assert not current_film().wanted
    assert len(film._pictures) == pytest.approx(6, abs=1)
    assert np.std(film._pictures[0]) > 5.0


@pytest.mark.long
@pytest.mark.needs('studies')
def test_the_page_shows_pictures_of_the_best_runs(tmp_path):
    """Each picture is a file, and is named in the page."""
    path = tmp_path / 'study.yaml'
    path.write_text(json.dumps(WALKS), encoding='utf-8')
    sweep(read_study(path), tmp_path / 'out', workers=2)
    files = write_report(tmp_path / 'out', 'work', least=True, pictures=1)
    (picture,) = (tmp_path / 'out/pictures').glob('*.png')
    assert picture.stat().st_size > 10_000
    assert f'src="pictures/{picture.name}"' in files[0].read_text()


@pytest.mark.needs('studies')
def test_pictures_of_a_scenario_that_cannot_be_filmed_are_refused(tmp_path):
    path = tmp_path / 'study.yaml'
    path.write_text(
        json.dumps({'scenario': 'tendon_rod', 'parameters': {'above': {'values': [0.0, 1.0]}}}),
        encoding='utf-8',
    )
    sweep(read_study(path), tmp_path / 'rods', workers=1)
    with pytest.raises(SoftshellError, match='tendon_rod cannot be filmed'):
        write_report(tmp_path / 'rods', pictures=1)


@pytest.mark.long
@pytest.mark.needs('studies')
def test_each_run_of_a_robot_is_recorded_into_a_bag(tmp_path):
    """A scenario without a robot is refused before the first run."""
    path = tmp_path / 'study.yaml'
    rods = {'scenario': 'tendon_rod', 'parameters': {'above': {'values': [0.0, 1.0]}}}
    path.write_text(json.dumps(rods), encoding='utf-8')
    with pytest.raises(
        SoftshellError, match='tendon_rod has no robot to record; expected one of grasp'
    ):
        sweep(read_study(path), tmp_path / 'out', record=tmp_path / 'out/runs')
    assert not (tmp_path / 'out').exists()
    path.write_text(json.dumps(WALKS), encoding='utf-8')
    sweep(read_study(path), tmp_path / 'out', record=tmp_path / 'out/runs', workers=1)
    bags = sorted(bag.name for bag in (tmp_path / 'out/runs').iterdir())
    assert bags == ['000000', '000001']
    assert (tmp_path / 'out/runs/000001/metadata.yaml').exists()


@pytest.mark.needs('studies')
def test_bags_that_cannot_be_written_end_a_study(tmp_path):
    """In one error; no run counts as failed, so all are done by the next call."""
    path, file = tmp_path / 'study.yaml', tmp_path / 'runs'
    path.write_text(json.dumps(WALKS), encoding='utf-8')
    file.touch()
    with pytest.raises(SoftshellError, match=f'^{file}/00000[01] cannot be written: Not a dir'):
        sweep(read_study(path), tmp_path / 'out', record=file, workers=1)
    assert not list(rows_of(tmp_path / 'out'))


def test_a_line_goes_through_both_points():
    line = Line.through((1000.0, 12.0), (4000.0, 42.0))
    assert (line.fixed, line.each) == (pytest.approx(2.0), pytest.approx(0.01))
    assert line.at(1_000_000) == pytest.approx(10_002.0)
    with pytest.raises(ValueError, match='both studies have 5 runs'):
        Line.through((5, 1.0), (5, 2.0))
