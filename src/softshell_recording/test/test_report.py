"""Feet, plots and pictures of any robot."""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from softshell_common.output_folder import OutputFolder
from softshell_description.load import load_robot
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_recording import plots
from softshell_recording.feet import feet_heights
from softshell_recording.pictures import base_poses, save_pictures, telling_sample, video_samples
from softshell_recording.recording import Recording, StepRun

sys.path.insert(0, str(Path(__file__).parent))
from made_up_runs import planar_base

ROBOTS = Path(__file__).parents[3] / 'config/robots'
NAMES = ('arm', 'quadruped', 'shell')


def swayed(model, base=True):
    """A made-up run of 3 s: all joints sway by 0.05 about where the robot begins.

    As in `joint_states`, those that follow another come last.
    """
    times = np.linspace(0.0, 3.0, 61)
    start = model.pose(model.start)
    joints = start + 0.05 * np.sin(4 * times)[:, None]
    names = model.joint_names + tuple(mimic.name for mimic in model.mimics)
    for mimic in model.mimics:
        source = joints[:, model.index(mimic.source)]
        joints = np.column_stack([joints, mimic.multiplier * source + mimic.offset])
    moving = planar_base(0.2 * times, 0.0, 0.1 * times) if base else None
    return Recording(times, names, joints, joints + 0.01, moving)


@pytest.fixture(scope='module', params=NAMES)
def model(request):
    return load_robot(ROBOTS / request.param)


def test_feet_are_where_forward_kinematics_has_them(model):
    """Heights agree with each chain's own, raised by the base; a robot without legs has none."""
    recording = swayed(model)
    heights = feet_heights(model, recording)
    legs = () if model.legs is None else model.legs.chains
    assert heights.shape == (61, len(legs))
    for place, name in enumerate(legs):
        spec = model.chains[name]
        chain = chain_from_urdf(model.urdf, model.base.link, spec.tip_link)
        joints = dict(zip(recording.joint_names, recording.joints[30], strict=True))
        tip = chain.forward([joints[variable] for variable in chain.variables])
        assert heights[30, place] == pytest.approx(tip[2, 3] + 0.1)
    still = feet_heights(model, dataclasses.replace(recording, base=None))
    assert still == pytest.approx(heights - 0.1)


def titles(monkeypatch, model, recording, path):
    """Titles of the panels that are drawn."""
    drawn = []
    original = plots.Figure.savefig
    monkeypatch.setattr(
        plots.Figure,
        'savefig',
        lambda self, *args, **more: (
            drawn.extend(axes.get_title() for axes in self.axes),
            original(self, *args, **more),
        ),
    )
    steps = (StepRun('first', 0.0, 1.0), StepRun('second', 1.0, 3.0))
    heights = feet_heights(model, recording)
    plots.save_plots(model, recording, heights, steps, steps[1], path)
    return drawn


@pytest.mark.parametrize('base', [True, False])
def test_plots_show_what_the_robot_has(model, base, tmp_path, monkeypatch):
    """Feet for legs, joints without; the base's way only where it is known and free to move."""
    path = tmp_path / 'plots.png'
    drawn = titles(monkeypatch, model, swayed(model, base), path)
    expected = ['Path of the base', 'Base'] if base and not model.base.fixed else []
    if model.legs is not None:
        expected.append("Heights of the feet in 'second' (40 mm apart)")
    else:
        expected.append('Joints')
    assert drawn == [*expected, 'Joint tracking error']
    assert imread(path).std() > 0.05


def test_curves_are_interrupted_where_samples_are_missing():
    """A second without samples is a gap in the middle; even steps have none, a few samples too."""
    times = np.array([0.0, 0.1, 0.2, 1.2, 1.3])
    with_nan, values = plots.with_gaps(times, np.arange(10.0).reshape(5, 2))
    assert with_nan.tolist() == pytest.approx([0.0, 0.1, 0.2, 0.7, 1.2, 1.3])
    assert np.flatnonzero(np.isnan(values).all(axis=1)).tolist() == [3]
    assert np.isnan(values).sum() == 2
    for count in range(4):
        kept, _ = plots.with_gaps(times[:count], times[:count])
        assert len(kept) == count + (count == 4)


def test_the_tracking_error_has_gaps_where_nothing_is_commanded(model, monkeypatch):
    """Between two sub-actions the curve is interrupted, not drawn straight across."""
    recording = swayed(model)
    recording.commands[20:30] = np.nan
    figure = plots.Figure()
    axes = figure.add_subplot()
    plots._tracking(axes, recording)
    for line in axes.lines:
        gaps = np.flatnonzero(np.isnan(line.get_ydata()))
        assert gaps.tolist() == [*range(20, 30)]
    assert axes.lines[0].get_ydata()[0] == pytest.approx(0.01)


def test_the_picture_shows_feet_highest_over_the_others():
    """Of two alternating groups of feet, the sample in which one is 30 mm over the other."""
    times = np.linspace(0.0, 4.0, 401)
    wave = 0.03 * np.abs(np.sin(np.pi * times))
    lifted = (times % 2) < 1
    heights = np.where(lifted[:, None] == [True, False, True, False, True], wave[:, None], 0.0)
    recording = Recording(times, (), np.empty((401, 0)), np.empty((401, 0)))
    row = telling_sample(recording, heights, StepRun('go', 0.0, 4.0))
    assert times[row] == pytest.approx(1.5, abs=0.02) or times[row] == pytest.approx(2.5, abs=0.02)


def test_without_legs_the_picture_shows_the_joints_farthest_out():
    """The sample whose joints are farthest from the first."""
    times = np.linspace(0.0, 4.0, 401)
    recording = Recording(times, ('a',), np.sin(times)[:, None], np.full((401, 1), np.nan))
    row = telling_sample(recording, np.empty((401, 0)), StepRun('go', 0.0, 3.0))
    assert times[row] == pytest.approx(np.pi / 2, abs=0.01)


def test_without_odometry_the_robot_is_drawn_on_its_feet(model):
    """Level, in one place; in its poses to stand and to lie at the heights that it declares."""
    legs = model.legs
    poses = [legs.stand, legs.rest] if legs else [model.start]
    joints = np.array([model.pose(name) for name in poses])
    recording = Recording(np.arange(len(poses)), model.joint_names, joints, joints)
    positions, orientations = base_poses(model, recording, feet_heights(model, recording))
    expected = [model.rest_heights[name] for name in poses] if legs else [0.0]
    assert positions[:, 2] == pytest.approx(expected, abs=1e-4)
    assert np.abs(positions[:, :2]).max() == 0.0
    assert orientations[0].tolist() == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(('seconds', 'frames'), [(3.0, 45), (40.0, 600), (400.0, 600)])
def test_a_long_run_is_shown_faster(seconds, frames):
    """Up to 40 s there are 15 frames a second of the run; of a longer one there are 600."""
    times = np.linspace(1.0, 1.0 + seconds, 5001)
    recording = Recording(times, (), np.empty((5001, 0)), np.empty((5001, 0)))
    samples = video_samples(recording, 1.0)
    assert len(samples) == pytest.approx(frames, abs=1)
    assert (samples[0], samples[-1]) == (0, pytest.approx(5000, rel=0.03))


@pytest.mark.parametrize(
    'model',
    ['quadruped', *(pytest.param(name, marks=pytest.mark.long) for name in ('arm', 'shell'))],
    indirect=True,
)
def test_picture_and_video_are_written(model, tmp_path):
    """A picture with something on it and a video that decodes."""
    imageio_ffmpeg = pytest.importorskip('imageio_ffmpeg')
    recording = swayed(model)
    steps = (StepRun('go', 2.6, 3.0),)
    told = []
    heights = feet_heights(model, recording)
    output = OutputFolder(tmp_path)
    save_pictures(model, recording, heights, steps, steps[0], output, told.append)
    assert told == pytest.approx(np.arange(1, 7) / 6)
    assert imread(tmp_path / 'demo.png')[..., :3].std() > 0.02
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / 'demo.mp4'))
    assert frames == 6
    assert seconds == pytest.approx(0.4, abs=0.07)
