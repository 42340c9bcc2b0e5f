"""Figures of a run, against closed forms."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from made_up_runs import planar_base, walked

from softshell_recording.figures import checks_not_made, summarise
from softshell_recording.recording import StepRun
from softshell_recording.scenario import load_scenario

TEXT = """
description: a test
steps: [{action: rest}, {action: go, measure: travel}]
checks: {minimum_distance: 1.0, maximum_tilt: 0.5, maximum_tracking: 0.2}
"""


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / 'demo.yaml'
    path.write_text(TEXT, encoding='utf-8')
    return load_scenario(path)


def test_a_straight_way_in_any_direction(scenario):
    """2 m along a heading of 2 rad and 0.3 m to its left are exactly that, at 0.25 m/s."""
    heading, progress = 2.0, np.clip(np.arange(11) - 2.0, 0, 8) / 8
    x = progress * (2.0 * np.cos(heading) - 0.3 * np.sin(heading))
    y = progress * (2.0 * np.sin(heading) + 0.3 * np.cos(heading))
    summary = summarise(walked(planar_base(x, y, heading)), scenario, 'robot', 'sim')
    assert summary.distance_m == pytest.approx(2.0)
    assert summary.sideways_m == pytest.approx(0.3)
    assert summary.speed_mps == pytest.approx(0.25)
    assert summary.drift_deg == pytest.approx(0.0, abs=1e-9)
    assert summary.steps[0].distance_m == pytest.approx(0.0)
    assert (summary.fell, summary.problems) == (False, ())


def test_turning_past_the_seam_counts_on(scenario):
    """A change of heading of 7 rad, past π, is 7 rad and not what is left of full turns."""
    yaw = 3.0 + 7.0 * np.clip(np.arange(11) - 2.0, 0, 8) / 8
    summary = summarise(walked(planar_base(0.0, 0.0, yaw)), scenario, 'robot', 'sim')
    assert summary.drift_deg == pytest.approx(np.degrees(7.0))
    assert summary.steps[1].turn_deg == pytest.approx(np.degrees(7.0))


def test_tracking_and_times(scenario):
    """0.1 rad on the one commanded joint is rms and maximum; 10 s in 4 s of wall are 2.5."""
    summary = summarise(walked(planar_base(np.arange(11), 0, 0)), scenario, 'robot', 'sim')
    assert summary.tracking_rms_rad == pytest.approx(0.1)
    assert summary.tracking_max_rad == pytest.approx(0.1)
    assert (summary.real_time_factor, summary.simulated_s, summary.wall_s) == (2.5, 10.0, 4.0)
    assert summary.first_motion_s == 2.5


def test_a_fall_a_short_way_and_a_failure_are_problems(scenario):
    """Each failed check is named with its figure and what was expected, after the failure."""
    base = planar_base(np.arange(11) / 100, 0.0, 1.0, pitch=np.linspace(0, 0.6, 11))
    summary = summarise(walked(base, 'go: goal missed'), scenario, 'robot', 'sim')
    assert summary.fell is True
    assert summary.tilt_max_deg == pytest.approx(np.degrees(0.6))
    failure, fall, way = summary.problems
    assert failure == 'go: goal missed'
    assert fall == 'the robot fell: tilt 34.4°; expected at most 28.6°'
    assert way == 'the robot travelled 0.043 m; expected at least 1 m'


def test_without_odometry_there_are_no_such_figures_and_no_failed_checks(scenario):
    """Distance, turn and tilt are null; what could not be checked is named."""
    summary = summarise(walked(None), scenario, 'arm', 'mock')
    assert summary.problems == ()
    assert checks_not_made(scenario.checks, summary) == ['minimum_distance', 'maximum_tilt']
    values = json.loads(json.dumps(summary.as_dict()))
    for key in ('distance_m', 'drift_deg', 'sideways_m', 'speed_mps', 'turn_deg', 'fell'):
        assert values[key] is None
    assert values['tracking_rms_rad'] == 0.1
    assert values['steps'][1]['duration_s'] == 8.0


def test_a_joint_that_lags_fails_its_check(scenario):
    """A tracking error above the maximum is a problem."""
    run = walked(planar_base(np.arange(11), 0, 0))
    run.recording.commands[5, 0] -= 0.2
    summary = summarise(run, scenario, 'robot', 'sim')
    assert summary.problems == ('a joint was 0.300 rad from its command; expected at most 0.2',)


def test_a_step_that_took_no_time_has_no_speed(scenario):
    """As one that failed at once, or while the clock stood still."""
    run = walked(planar_base(np.arange(11.0), 0.0, 0.0), failure='no motion')
    steps = (StepRun('rest', 0.0, 2.0), StepRun('go', 2.0, 2.0))
    summary = summarise(replace(run, steps=steps), scenario, 'robot', 'sim')
    assert (summary.distance_m, summary.speed_mps) == (0.0, None)
    assert summary.problems[0] == 'no motion'
