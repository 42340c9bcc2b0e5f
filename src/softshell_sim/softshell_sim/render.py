"""Pictures of a robot from its recorded states; no display is needed."""

import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    quaternion_from_rotation,
    rotation_from_quaternion,
    transform,
)
from softshell_sim.flatten import flatten
from softshell_sim.quietly import pybullet
from softshell_sim.tree import bounds

Picture = NDArray[np.uint8]
#: Lowest and highest x, lowest and highest y [m].
Floor = tuple[float, float, float, float]

#: Side of a tile of the floor [m].
TILE = 0.25
LIGHT_FROM = (0.6, -0.9, 1.6)


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
        distance: from the point looked at, over the robot's size.
        yaw, pitch: where it looks to [deg], as PyBullet counts them.
        supersampling: pixels drawn for each pixel, each way.
    """

    width: int = 480
    height: int = 360
    distance: float = 1.1
    yaw: float = 75.0
    pitch: float = -20.0
    supersampling: int = 1


@dataclass(frozen=True, eq=False)
class Subject:
    """What is drawn.

    Args:
        urdf: file with the robot's URDF, flattened.
        base_in_root: (4, 4) pose of the base link in the root link.
        centre: (3,) middle of the robot in the world in the first state, less the position of the
            base link [m].
        size: diagonal of the box around the robot in the first state [m].
    """

    urdf: Path
    base_in_root: Array
    centre: Array
    size: float


class Studio:
    """A world of its own with a floor, light and the robot, which goes where it is put."""

    def __init__(self, subject: Subject, floor: Floor) -> None:
        self._subject = subject
        self._client = pybullet.connect(pybullet.DIRECT)
        self._robot = pybullet.loadURDF(
            str(subject.urdf), useFixedBase=True, physicsClientId=self._client
        )
        self._joints = {
            pybullet.getJointInfo(self._robot, index, physicsClientId=self._client)[
                1
            ].decode(): index
            for index in range(pybullet.getNumJoints(self._robot, physicsClientId=self._client))
        }
        # PyBullet's pose of a base is that of its inertial frame.
        info = pybullet.getDynamicsInfo(self._robot, -1, physicsClientId=self._client)
        inertial = transform(rotation_from_quaternion(info[4]), info[3])
        self._inertial_in_base = inverse(subject.base_in_root) @ inertial
        self._lay_floor(*floor)

    def close(self) -> None:
        """Leave the world."""
        pybullet.disconnect(self._client)

    def draw(self, motion: Motion, target: Array, camera: Camera) -> Picture:
        """(height, width, 3) picture of the only state of `motion`, looking at `target` [m]."""
        base = transform(rotation_from_quaternion(motion.orientations[0]), motion.positions[0])
        pose = base @ self._inertial_in_base
        pybullet.resetBasePositionAndOrientation(
            self._robot,
            pose[:3, 3].tolist(),
            quaternion_from_rotation(pose[:3, :3]).tolist(),
            physicsClientId=self._client,
        )
        for name, position in zip(motion.joint_names, motion.joints[0], strict=True):
            pybullet.resetJointState(
                self._robot, self._joints[name], position, physicsClientId=self._client
            )
        distance = camera.distance * self._subject.size
        width, height = (size * camera.supersampling for size in (camera.width, camera.height))
        view = pybullet.computeViewMatrixFromYawPitchRoll(
            target.tolist(), distance, camera.yaw, camera.pitch, 0, 2
        )
        projection = pybullet.computeProjectionMatrixFOV(
            40, width / height, 0.05 * distance, 8.0 * distance
        )
        _, _, pixels, _, _ = pybullet.getCameraImage(
            width,
            height,
            view,
            projection,
            lightDirection=LIGHT_FROM,
            lightDistance=3.0,
            lightColor=(1.0, 0.98, 0.94),
            lightAmbientCoeff=0.55,
            lightDiffuseCoeff=0.55,
            lightSpecularCoeff=0.12,
            shadow=1,
            flags=pybullet.ER_NO_SEGMENTATION_MASK,
            renderer=pybullet.ER_TINY_RENDERER,
            physicsClientId=self._client,
        )
        picture = np.reshape(pixels, (height, width, 4))[..., :3].astype(np.float64)
        k = camera.supersampling
        picture = picture.reshape(camera.height, k, camera.width, k, 3).mean(axis=(1, 3))
        return np.ascontiguousarray(picture.round().astype(np.uint8))

    def _lay_floor(self, x_low: float, x_high: float, y_low: float, y_high: float) -> None:
        colours = ((0.86, 0.87, 0.88, 1.0), (0.74, 0.77, 0.80, 1.0))
        shapes = [
            pybullet.createVisualShape(
                pybullet.GEOM_BOX,
                halfExtents=(TILE / 2, TILE / 2, 0.005),
                rgbaColor=colour,
                physicsClientId=self._client,
            )
            for colour in colours
        ]
        for i in range(math.floor(x_low / TILE), math.ceil(x_high / TILE)):
            for j in range(math.floor(y_low / TILE), math.ceil(y_high / TILE)):
                pybullet.createMultiBody(
                    baseVisualShapeIndex=shapes[(i + j) % 2],
                    basePosition=((i + 0.5) * TILE, (j + 0.5) * TILE, -0.005),
                    physicsClientId=self._client,
                )


def save_picture(
    robot: RobotModel, motion: Motion, path: Path, camera: Camera | None = None
) -> None:
    """Draw the only state of `motion` into a PNG file, four samples a pixel.

    Args:
        robot: the robot.
        motion: one state.
        path: of the file.
        camera: default: one that has the whole robot in view.
    """
    camera = camera or Camera(1280, 960, supersampling=2)
    with staged(robot, motion) as subject:
        studio = Studio(subject, floor_of(motion, subject))
        imsave(path, studio.draw(motion, targets_of(motion, subject, 1.0)[0], camera))
        studio.close()


@contextmanager
def staged(robot: RobotModel, motion: Motion) -> Iterator[Subject]:
    """A robot ready to be drawn: its URDF lies in a file until the end."""
    base_in_root = robot.urdf.bodies[robot.base.link][1]
    joints = dict(zip(motion.joint_names, motion.joints[0].tolist(), strict=True))
    low, high = bounds(robot.urdf, robot.urdf_text, joints)
    middle = inverse(base_in_root) @ [*(low + high) / 2.0, 1.0]
    centre = rotation_from_quaternion(motion.orientations[0]) @ middle[:3]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'robot.urdf'
        path.write_text(flatten(robot.resolved_urdf, visuals=True).text, encoding='utf-8')
        yield Subject(path, base_in_root, centre, float(np.linalg.norm(high - low)))


def targets_of(motion: Motion, subject: Subject, frames_per_second: float) -> Array:
    """(frames, 3) what the camera looks at: the path of the robot's middle without its wobble."""
    targets = motion.positions + subject.centre
    smooth: Array = gaussian_filter1d(targets, 0.5 * frames_per_second, axis=0, mode='nearest')
    return smooth


def floor_of(motion: Motion, subject: Subject) -> Floor:
    """Limits in x and y of a floor that reaches past whatever the camera sees."""
    margin = 2.0 * subject.size
    low, high = motion.positions.min(axis=0) - margin, motion.positions.max(axis=0) + margin
    return low[0], high[0], low[1], high[1]
