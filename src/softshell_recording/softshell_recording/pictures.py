"""A picture and a video of a recorded run; needs no ROS."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from softshell_common.output_folder import OutputFolder
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_recording.feet import standing_heights
from softshell_recording.recording import Recording, StepRun
from softshell_recording.scenario import View

if TYPE_CHECKING:
    from softshell_sim.pictures.render import Camera
    from softshell_sim.pictures.visuals import Triangles

FRAMES_PER_SECOND = 15.0
PICTURE = 'demo.png'
VIDEO = 'demo.mp4'
#: A frame takes about 0.1 s to draw. A run that would need more frames is shown faster.
MOST_FRAMES = 600


def save_pictures(
    model: RobotModel,
    recording: Recording,
    heights: Array,
    steps: tuple[StepRun, ...],
    shown: StepRun,
    output: OutputFolder,
    tell: Callable[[float], None] = lambda done: None,
    scene: str = '',
    view: View | None = None,
) -> None:
    """Write a picture of the robot during a step, and a video of the whole run.

    Args:
        model: the robot.
        recording: the run.
        heights: (samples, legs) of its feet [m]; no columns for a robot without legs.
        steps: when each step ran; the video begins with the first.
        shown: the step of the picture.
        output: where `PICTURE` and `VIDEO` are written.
        tell: takes the share of the video that is drawn, 0 to 1.
        scene: file of the scene around the robot; empty: there is none.
        view: from where the robot is seen; None: the default view.

    Raises:
        SoftshellError: a file could not be written.
    """
    # The engine takes a while to import, and only pictures need it.
    from softshell_sim.pictures.render import Motion, save_picture
    from softshell_sim.pictures.scene_visuals import Surroundings
    from softshell_sim.pictures.video import save_video
    from softshell_sim.scenes.scene_file import read_scene

    around = Surroundings(read_scene(scene) if scene else ())

    def beside(row: int) -> 'Triangles':
        time = recording.times[row]
        return around.at({name: path.at(time) for name, path in recording.bodies.items()})

    positions, orientations = base_poses(model, recording, heights)
    motion = Motion(recording.joint_names, recording.joints, positions, orientations)
    row = telling_sample(recording, heights, shown)
    with output.new_file(PICTURE) as path:
        save_picture(model, motion[[row]], path, camera_of(view, 1280, 960, 2), beside(row))
    rows = video_samples(recording, steps[0].start)
    with output.new_file(VIDEO) as path:
        save_video(
            model,
            motion[rows],
            path,
            FRAMES_PER_SECOND,
            camera_of(view, 480, 360, 1),
            tell=lambda drawn: tell(drawn / len(rows)),
            beside=lambda frame: beside(rows[frame]),
        )


def camera_of(view: View | None, width: int, height: int, samples: int) -> 'Camera':
    """The camera of a scenario's view.

    Args:
        view: of the scenario; None: the default.
        width, height: of the picture [pixels].
        samples: of each pixel along each axis.
    """
    from softshell_sim.pictures.render import Camera

    seen = view or View()
    return Camera(width, height, seen.distance, seen.yaw, seen.pitch, samples)


def video_samples(recording: Recording, start: float) -> list[int]:
    """Indices of the samples that are drawn, one a frame, from a time [s] to the end."""
    length = recording.times[-1] - start
    period = max(1.0 / FRAMES_PER_SECOND, length / MOST_FRAMES)
    return [recording.at(time) for time in np.arange(start, recording.times[-1], period)] or [0]


def base_poses(model: RobotModel, recording: Recording, heights: Array) -> tuple[Array, Array]:
    """Positions (samples, 3) [m] and orientations (samples, 4) x y z w of the base in odom.

    Without odometry the base is drawn in one place, level, and on its lowest foot.
    """
    if recording.base is not None:
        return recording.base.positions, recording.base.orientations
    positions = np.zeros((len(recording.times), 3))
    positions[:, 2] = standing_heights(model, heights)
    return positions, np.tile([0.0, 0.0, 0.0, 1.0], (len(positions), 1))


def telling_sample(recording: Recording, heights: Array, shown: StepRun) -> int:
    """Index of the sample of a step that shows most.

    Of a robot with legs: half-way through, when the feet in the air are highest above those on
    the ground. Of any other: when its joints are farthest from where they began.

    Args:
        recording: the run.
        heights: (samples, legs) of its feet [m]; no columns for a robot without legs.
        shown: the step.
    """
    middle, quarter = (shown.start + shown.end) / 2, (shown.end - shown.start) / 4
    if heights.shape[1] > 1:
        low, high = recording.at(middle - quarter), recording.at(middle + quarter) + 1
        ordered = np.sort(heights[low:high], axis=1)
        return low + int(np.argmax(np.diff(ordered, axis=1).max(axis=1)))
    low, high = recording.at(shown.start), recording.at(shown.end) + 1
    moved = np.abs(recording.joints[low:high] - recording.joints[0]).sum(axis=1)
    return low + int(np.argmax(moved))
