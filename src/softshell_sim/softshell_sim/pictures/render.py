"""Pictures of a robot from its recorded states; no display is needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.image import imsave
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import (
    inverse,
    rotation_from_quaternion,
    transform,
)
from softshell_sim.pictures.coverage import depths_in_view, parallel_depths
from softshell_sim.pictures.rasteriser import Lamp, Lens, paint
from softshell_sim.pictures.visuals import NOTHING, Triangles, joined, visuals_of
from softshell_sim.sensing.camera import LIGHT_FROM
from softshell_sim.urdf.flatten import flatten
from softshell_sim.urdf.parsed import parsed
from softshell_sim.urdf.tree import bounds, link_poses

Picture = NDArray[np.uint8]

#: Side of the shadow map [pixels], and the length that it covers, divided by the robot's size.
SHADOWS, LIT = 1024, 2.0
#: Angle between the upper and the lower edge of a picture [deg].
FIELD_OF_VIEW = 40.0
#: What is nearer to the eye than this, or behind it, is not drawn [m].
NEAREST = 1e-3


@dataclass(frozen=True)
class Motion:
    """States to draw.

    Args:
        joint_names: the movable joints; those that mimic another are among them.
        joints: (frames, joints) positions [rad] or [m].
        positions: (frames, 3) of the robot's base link in the world [m].
        orientations: (frames, 4) of the robot's base link in the world, quaternion x y z w.
    """

    joint_names: tuple[str, ...]
    joints: Array
    positions: Array
    orientations: Array

    def __getitem__(self, rows: slice | Sequence[int]) -> 'Motion':
        return Motion(
            self.joint_names, self.joints[rows], self.positions[rows], self.orientations[rows]
        )


@dataclass(frozen=True)
class Camera:
    """Looks at a point from a distance.

    Args:
        width, height: of the picture [pixels].
        distance: from the point looked at, divided by the robot's size.
        yaw, pitch: direction in which it looks [deg]: from the y axis towards −x, and upwards;
            not straight up or down.
        supersampling: samples of each pixel along each axis.
    """

    width: int = 480
    height: int = 360
    distance: float = 1.1
    yaw: float = 75.0
    pitch: float = -20.0
    supersampling: int = 1


@dataclass(frozen=True, eq=False)
class Subject:
    """The robot that is drawn.

    Args:
        urdf: of the robot, flattened, its meshes named by paths.
        base_in_root: (4, 4) pose of the base link in the root link.
        centre: (3,) from the base link to the middle of the robot in the first state, in the
            world [m].
        size: diagonal of the box around the robot in the first state [m].
    """

    urdf: str
    base_in_root: Array
    centre: Array
    size: float


class Studio:
    """Draws the robot in any state, on a floor and under a lamp; threads may share it.

    Args:
        subject: the robot.

    Raises:
        SoftshellError: a mesh of the robot cannot be read.
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._urdf = parsed(subject.urdf)
        self._visuals = visuals_of(subject.urdf)

    def draw(
        self, motion: Motion, target: Array, camera: Camera, beside: Triangles = NOTHING
    ) -> Picture:
        """(height, width, 3) picture of the only state of `motion`.

        Args:
            motion: one state.
            target: (3,) point that the camera looks at, in the world [m].
            camera: that takes the picture.
            beside: further triangles, in the world.
        """
        base = transform(rotation_from_quaternion(motion.orientations[0]), motion.positions[0])
        root = base @ inverse(self._subject.base_in_root)
        joints = dict(zip(motion.joint_names, motion.joints[0].tolist(), strict=True))
        poses = link_poses(self._urdf, joints)
        parts = [part.at(root @ poses[name]) for name, part in self._visuals.items()]
        robot = joined([*parts, beside])
        lamp = self._lamp(robot.corners, target)
        lens = self._lens(robot.corners, target, camera)
        picture = np.empty((*lens.depth.shape, 3))
        paint(robot.corners, robot.normals, robot.colours, lens, lamp, picture)
        k = camera.supersampling
        mean = picture.reshape(camera.height, k, camera.width, k, 3).mean(axis=(1, 3))
        return np.ascontiguousarray((255.0 * mean).round().astype(np.uint8))

    def _lamp(self, corners: Array, target: Array) -> Lamp:
        """The lamp with its shadow map."""
        view, scale = _looking(-np.array(LIGHT_FROM)), SHADOWS / (LIT * self._subject.size)
        points = (corners - target) @ view.T
        points[..., :2] = points[..., :2] * scale + SHADOWS / 2
        depth = np.full((SHADOWS, SHADOWS), np.inf)
        parallel_depths(points, depth, np.empty((SHADOWS, SHADOWS), dtype=np.int32))
        return Lamp(view, target, scale, depth)

    def _lens(self, corners: Array, target: Array, camera: Camera) -> Lens:
        """The camera with its depth buffer."""
        height, width = (size * camera.supersampling for size in (camera.height, camera.width))
        yaw, pitch = np.radians([camera.yaw, camera.pitch])
        forward = [-np.sin(yaw) * np.cos(pitch), np.cos(yaw) * np.cos(pitch), np.sin(pitch)]
        view, reach = _looking(np.array(forward)), camera.distance * self._subject.size
        eye = target - reach * view[2]
        focal = 0.5 * height / np.tan(np.radians(FIELD_OF_VIEW / 2))
        depth, seen = np.full((height, width), np.inf), np.full((height, width), -1, np.int32)
        depths_in_view((corners - eye) @ view.T, focal, NEAREST, depth, seen)
        return Lens(eye, view, focal, reach, depth, seen)


def _looking(direction: Array) -> Array:
    """(3, 3) right, down and forward, as rows, along a direction (3,) that is not vertical."""
    forward = direction / np.linalg.norm(direction)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(forward, right), forward])


def save_picture(
    robot: RobotModel,
    motion: Motion,
    path: Path,
    camera: Camera | None = None,
    beside: Triangles = NOTHING,
) -> None:
    """Draw the only state of `motion` into a PNG file.

    Args:
        robot: the robot.
        motion: one state.
        path: of the file.
        camera: default: the whole robot on 1280 x 960 pixels of four samples each.
        beside: further triangles, in the world.
    """
    camera = camera or Camera(1280, 960, supersampling=2)
    subject = subject_of(robot, motion)
    target = targets_of(motion, subject, 1.0)[0]
    imsave(path, Studio(subject).draw(motion, target, camera, beside))


def subject_of(robot: RobotModel, motion: Motion) -> Subject:
    """A robot ready to be drawn."""
    base_in_root = robot.urdf.bodies[robot.base.link][1]
    joints = dict(zip(motion.joint_names, motion.joints[0].tolist(), strict=True))
    low, high = bounds(robot.urdf, robot.urdf_text, joints)
    middle = inverse(base_in_root) @ [*(low + high) / 2.0, 1.0]
    centre = rotation_from_quaternion(motion.orientations[0]) @ middle[:3]
    urdf = flatten(robot.resolved_urdf, visuals=True).text
    return Subject(urdf, base_in_root, centre, float(np.linalg.norm(high - low)))


def targets_of(motion: Motion, subject: Subject, frames_per_second: float) -> Array:
    """(frames, 3) points that the camera looks at [m]: the smoothed path of the robot's middle."""
    targets = motion.positions + subject.centre
    smooth: Array = gaussian_filter1d(targets, 0.5 * frames_per_second, axis=0, mode='nearest')
    return smooth
