"""The cameras of a robot in a world."""

import zlib
from typing import Any

import numpy as np

from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_kinematics.errors import UnknownNameError
from softshell_sim.bodies import Body, BodyState
from softshell_sim.physics.engine import Engine
from softshell_sim.sensing.camera import Camera, Picture
from softshell_sim.sensing.link_motion import LinkMotion
from softshell_sim.sensing.signals import STREAMS, stream
from softshell_sim.settings import WorldSettings


class Cameras:
    """Takes pictures when somebody asks for one, and no more often than each camera's rate.

    Args:
        robot: that carries them.
        joint_map: order of its joints.
        settings: of the world.
    """

    def __init__(self, robot: RobotModel, joint_map: JointMap, settings: WorldSettings) -> None:
        self._state = BodyState()
        self._joints = np.zeros(len(joint_map.names)), np.zeros(len(joint_map.names))
        self._cameras = {
            # The seed depends on the name: other cameras do not change a camera's noise.
            name: Camera(
                each,
                stream(settings.seed, STREAMS['cameras', 'picture'], zlib.crc32(name.encode())),
            )
            for name, each in settings.sensors.cameras.items()
        }
        self._motions = {
            name: LinkMotion(robot.urdf, joint_map, camera.settings.link)
            for name, camera in self._cameras.items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all cameras."""
        return tuple(self._cameras)

    def camera(self, name: str) -> Camera:
        """The camera of this name.

        Raises:
            UnknownNameError: there is none.
        """
        if name not in self._cameras:
            raise UnknownNameError('camera', name, self._cameras)
        return self._cameras[name]

    def begin(self) -> None:
        """Forget all pictures and begin all noise anew."""
        for camera in self._cameras.values():
            camera.begin()

    def clear(self) -> None:
        """Forget all pictures; noise goes on."""
        for camera in self._cameras.values():
            camera.clear()

    def picture(self, name: str, engine: Engine, body: Body, time: float) -> tuple[float, Picture]:
        """The picture that a camera shows; a new one is taken if it is time for that.

        Args:
            name: of the camera.
            engine, body: the robot.
            time: now [s].

        Returns:
            When the newest picture that is known was taken [s], and the picture.

        Raises:
            UnknownNameError: there is no such camera.
        """
        camera = self.camera(name)
        if camera.due(time):
            motion = self._motions[name]
            engine.read(body, self._state)
            engine.read_joints(body, *self._joints)
            motion.update(self._state, *self._joints)
            camera.take(time, engine.picture(camera.view(motion.pose)))
        return camera.shown(time)

    def save(self) -> object:
        """Pictures that wait and state of the noise, for `restore`."""
        return {name: camera.save() for name, camera in self._cameras.items()}

    def restore(self, content: Any) -> None:
        """Go on as after `save`."""
        for name, camera in self._cameras.items():
            camera.restore(content[name])
