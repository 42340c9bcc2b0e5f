"""What the demo writes and how it ends, with runs that are made up."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from softshell_common.output_folder import OutputFolder
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_recording import demo
from softshell_recording.recording import StepRun

sys.path.insert(0, str(Path(__file__).parent))
from made_up_runs import planar_base, walked

ROBOTS = Path(__file__).parents[3] / 'config/robots'
#: Keys that programs read since the first version.
KEYS = {
    'distance_m', 'drift_deg', 'sideways_m', 'speed_mps', 'turn_deg', 'real_time_factor',
    'tracking_rms_rad', 'tracking_max_rad', 'tilt_max_deg', 'fell', 'first_motion_s',
    'simulated_s', 'wall_s',
}  # fmt: skip


@pytest.fixture
def pretend(monkeypatch):
    """Lets the demo have a run without a stack; returns the arguments of the stack it wanted.

    Pictures are not rendered.
    """
    wanted = {}

    def use(run):
        def perform(console, arguments, scenario):
            wanted.update(arguments)
            return run

        monkeypatch.setattr(demo, '_run', perform)
        monkeypatch.setattr(demo, '_draw', lambda *everything: None)
        return wanted

    return use


def robot(name):
    return {'robot': str(ROBOTS / name)}


def test_a_walk_is_summarised_and_succeeds(pretend, tmp_path, capsys):
    """The keys of before are there, status 0, and a simulation runs as fast as it can."""
    wanted = pretend(walked(planar_base(0.225 * np.arange(11), 0, 0)))
    assert demo.main(OutputFolder(tmp_path / 'out'), robot('shell')) == 0
    summary = json.loads((tmp_path / 'out/summary.json').read_text())
    assert set(summary) > KEYS
    assert summary['distance_m'] == pytest.approx(1.8)
    assert summary['robot'] == 'shell'
    assert wanted['real_time_factor'] == '0'
    assert 'written to' in capsys.readouterr().out


@pytest.mark.parametrize('failing', ['save_plots', 'save_pictures'])
def test_what_cannot_be_written_costs_no_figures(pretend, tmp_path, capsys, monkeypatch, failing):
    """Figures are shown and kept before anything is drawn; then one line names the file."""
    drawing = demo._draw
    pretend(walked(planar_base(0.225 * np.arange(11), 0, 0)))
    monkeypatch.setattr(demo, '_draw', drawing)
    monkeypatch.setattr(demo, 'feet_heights', lambda model, recording: None)
    monkeypatch.setattr(demo, 'save_pictures', lambda *everything: None)

    def fail(*everything):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(demo, 'save_plots', lambda *drawn: drawn[-1].write_text('plots'))
    if failing == 'save_plots':
        monkeypatch.setattr(demo, 'save_plots', fail)
    else:
        monkeypatch.setattr(demo, 'save_pictures', _refuse)
    assert demo.main(OutputFolder(tmp_path), robot('shell')) == 1
    said = capsys.readouterr().out
    assert '1.800 m' in said
    assert 'No space left on device' in said
    kept = {'summary.json', 'plots.png'} - ({'plots.png'} if failing == 'save_plots' else set())
    assert {path.name for path in tmp_path.iterdir()} == kept
    assert f'written to {tmp_path}/: {", ".join(sorted(kept, reverse=True))}' in said


def test_what_was_written_before_a_ctrl_c_is_told(pretend, tmp_path, capsys, monkeypatch):
    """Somebody who ends the drawing knows which files there are."""
    pretend(walked(planar_base(0.225 * np.arange(11), 0, 0)))

    def interrupt(*everything):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, '_draw', interrupt)
    with pytest.raises(KeyboardInterrupt):
        demo.main(OutputFolder(tmp_path), robot('shell'))
    assert f'written to {tmp_path}/: summary.json\n' in capsys.readouterr().out


def _refuse(*everything):
    raise SoftshellError('demo.mp4 could not be written: No space left on device')


def test_arguments_are_kept(pretend, tmp_path):
    """What was asked for is what the stack gets; the mock keeps its own pace."""
    wanted = pretend(walked(None))
    demo.main(OutputFolder(tmp_path), robot('arm') | {'bridge': 'mock'})
    assert wanted == robot('arm') | {'bridge': 'mock'}
    demo.main(OutputFolder(tmp_path), robot('arm') | {'real_time_factor': '2'})
    assert wanted['real_time_factor'] == '2'


@pytest.mark.parametrize('pitch', [0.0, 1.0])
def test_a_robot_that_does_not_advance_or_falls_fails(pretend, tmp_path, capsys, pitch):
    """Status 1, and the reason stands in the summary and on the screen."""
    pretend(walked(planar_base(0.01 * np.arange(11), 0, 0, pitch)))
    assert demo.main(OutputFolder(tmp_path), robot('shell')) == 1
    summary = json.loads((tmp_path / 'summary.json').read_text())
    assert summary['fell'] is bool(pitch)
    assert len(summary['problems']) == 1 + bool(pitch)
    assert 'the robot travelled 0.080 m' in capsys.readouterr().out


def test_without_odometry_a_check_that_cannot_be_made_is_named(pretend, tmp_path, capsys):
    """A mock without odometry passes, and the screen names what was not checked."""
    pretend(walked(None))
    assert demo.main(OutputFolder(tmp_path), robot('quadruped') | {'bridge': 'mock'}) == 0
    said = capsys.readouterr().out
    assert 'minimum_distance was not checked' in said
    assert 'maximum_tilt was not checked' in said


def test_a_scenario_of_its_own_is_performed(pretend, tmp_path):
    """The file that is given counts, not that of the robot; its mistakes are listed."""
    path = tmp_path / 'mine.yaml'
    path.write_text('description: mine\nsteps: [{action: go}]\n', encoding='utf-8')
    pretend(walked(planar_base(np.zeros(11), 0, 0)))
    assert demo.main(OutputFolder(tmp_path), robot('shell'), path) == 0
    assert json.loads((tmp_path / 'summary.json').read_text())['distance_m'] is None
    path.write_text('steps: [{action: go}]\n', encoding='utf-8')
    with pytest.raises(ProblemsError, match='description'):
        demo.main(OutputFolder(tmp_path), robot('shell'), path)


def test_pictures_show_the_travel_or_else_the_longest_step(pretend, tmp_path):
    """The step measured as travel is shown; without one, the one that took longest."""
    from softshell_recording.scenario import load_scenario

    run = walked(None)
    path = tmp_path / 'mine.yaml'
    path.write_text(
        'description: x\nsteps: [{action: a, measure: travel}, {action: b}]\n', encoding='utf-8'
    )
    assert demo.shown_step(run, load_scenario(path)) == StepRun('rest', 0.0, 2.0)
    path.write_text('description: x\nsteps: [{action: a}, {action: b}]\n', encoding='utf-8')
    assert demo.shown_step(run, load_scenario(path)) == StepRun('go', 2.0, 10.0)
