"""Pictures show the robot, whichever it is, in the middle and of the same size."""

import resource
from dataclasses import replace

import imageio_ffmpeg
import numpy as np
import pytest
from matplotlib.image import imread

from softshell_control.joint_map import JointMap
from softshell_sim.pictures.render import Camera, Motion, Studio, save_picture, subject_of
from softshell_sim.pictures.video import save_video
from softshell_sim.pictures.visuals import Triangles

CAMERA = Camera(160, 120, distance=1.0)


def motion_of(robot, pose, place, frames=1):
    """The robot at rest in a pose, its base link at a place [m]."""
    joint_map = JointMap.of(robot)
    positions = np.zeros(len(joint_map.names))
    joint_map.positions(robot.pose(pose), positions)
    return Motion(
        joint_map.names,
        np.tile(positions, (frames, 1)),
        np.tile(np.array(place), (frames, 1)),
        np.tile([0.0, 0.0, 0.0, 1.0], (frames, 1)),
    )


def drawn(robot, motion):
    """(height, width) whether a pixel changes when the robot is taken out of the picture."""
    gone = replace(motion, positions=motion.positions - [0.0, 0.0, 100.0])
    subject = subject_of(robot, motion)
    studio, target = Studio(subject), motion.positions[0] + subject.centre
    pictures = [studio.draw(m, target, CAMERA).astype(float) for m in (motion, gone)]
    return np.abs(pictures[0] - pictures[1]).max(axis=2) > 12.0


@pytest.mark.parametrize('which', ['robot', 'arm', 'cube'])
def test_robot_fills_the_middle_of_the_picture(which, request):
    """Of a hexapod, an arm and a box the robot is in view, near the middle, at a similar size."""
    robot = request.getfixturevalue(which)
    heights = {'robot': 0.16, 'arm': 0.3, 'cube': 0.2}
    motion = motion_of(robot, robot.start, [3.0, -2.0, heights[which]])
    rows, columns = np.nonzero(drawn(robot, motion))
    assert np.mean(columns) == pytest.approx(80, abs=20)
    assert np.mean(rows) == pytest.approx(60, abs=30)
    assert 30 < max(np.ptp(rows), np.ptp(columns)) < 150


def test_what_is_beside_the_robot_is_drawn_in_front_of_it_or_hidden(cube):
    """A red triangle between the camera and the robot is seen, one behind the robot is not."""
    motion = motion_of(cube, 'still', [0.0, 0.0, 0.2])
    subject = subject_of(cube, motion)
    studio, target = Studio(subject), motion.positions[0] + subject.centre
    yaw, pitch = np.radians([CAMERA.yaw, CAMERA.pitch])
    forward = np.array([-np.sin(yaw) * np.cos(pitch), np.cos(yaw) * np.cos(pitch), np.sin(pitch)])
    right = np.cross(forward, [0.0, 0.0, 1.0])
    up = np.cross(right, forward)
    size = 0.1 * subject.size
    corners = target + size * np.array([right, -right, up])
    reds = []
    for side in (-1.0, 1.0):
        red = Triangles(
            corners[None] + side * 0.5 * subject.size * forward,
            np.tile(-forward, (1, 3, 1)),
            np.array([[1.0, 0.0, 0.0]]),
        )
        picture = studio.draw(motion, target, CAMERA, red).astype(float)
        reds.append(np.sum(picture[..., 0] > 2.0 * picture[..., 1] + 60.0))
    assert reds[0] > 20
    assert reds[1] == 0


def test_picture_is_a_file_of_four_samples_a_pixel(cube, tmp_path):
    """A picture has the size of its camera, and edges softer than without supersampling."""
    motion, tones = motion_of(cube, 'still', [0.0, 0.0, 0.2]), []
    for k in (1, 2):
        path = tmp_path / f'{k}.png'
        save_picture(cube, motion, path, replace(CAMERA, supersampling=k))
        picture = imread(path)
        assert picture.shape[:2] == (120, 160)
        tones.append(len(np.unique(picture[..., 0])))
    assert tones[1] > tones[0]


def test_video_has_every_frame(arm, tmp_path):
    """A video of 30 states is a file of more than one chunk of frames."""
    motion = motion_of(arm, 'up', [0.0, 0.0, 0.3], frames=30)
    told = []
    save_video(arm, motion, tmp_path / 'arm.mp4', 15.0, CAMERA, told.append)
    assert told == [*range(1, 31)]
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / 'arm.mp4'))
    assert frames == 30
    assert seconds == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize('size', [0, 2000])
def test_a_video_that_cannot_be_written_whole_is_an_error(arm, tmp_path, size):
    """As on a full disk: whether the encoder dies at once or at the end is the same."""
    motion = motion_of(arm, 'up', [0.0, 0.0, 0.3], frames=30)
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    path = tmp_path / 'arm.mp4'
    write = imageio_ffmpeg.write_frames

    def limited(*arguments, **options):
        frames = write(*arguments, **options)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
        try:
            frames.send(None)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        return Begun(frames)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(imageio_ffmpeg, 'write_frames', limited)
        with pytest.raises(OSError, match='of 30') as caught:
            save_video(arm, motion, path, 15.0, CAMERA)
    assert caught.value.filename == str(path)
    assert caught.value.strerror.endswith('is the disk full?')


class Begun:
    """A generator that has been started already."""

    def __init__(self, generator):
        self._generator = generator

    def send(self, value):
        if value is not None:
            self._generator.send(value)

    def close(self):
        self._generator.close()
