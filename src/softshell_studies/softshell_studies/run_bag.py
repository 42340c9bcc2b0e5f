"""Records a run into a bag: joint states, commands and odometry, as the running stack sends them.

`./softshell report` and any reader of MCAP can open it. Needs no ROS.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from softshell_kinematics.errors import SoftshellError
from softshell_studies.commanded_robot import CommandedRobot

#: Between two samples [s].
PERIOD = 0.02
#: Message types, by topic.
KINDS = {
    '/joint_states': 'sensor_msgs/msg/JointState',
    '/joint_commands': 'sensor_msgs/msg/JointState',
    '/odom': 'nav_msgs/msg/Odometry',
    '/robot_description': 'std_msgs/msg/String',
}


class RunBag:
    """Records a robot into a bag; a context manager that closes the bag at its end.

    Args:
        folder: of the bag; an existing one is deleted first.

    Raises:
        SoftshellError: the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        from rosbags.rosbag2 import StoragePlugin, Writer
        from rosbags.typesys import Stores, get_typestore

        self._folder, self._store = folder, get_typestore(Stores.ROS2_JAZZY)
        self._types = self._store.types
        self._lost: SoftshellError | None = None
        with self._writing():
            with suppress(FileNotFoundError):
                shutil.rmtree(folder)
            folder.parent.mkdir(parents=True, exist_ok=True)
            self._writer: Any = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
            self._writer.open()
        self._connections = {
            topic: self._writer.add_connection(topic, kind, typestore=self._store)
            for topic, kind in KINDS.items()
        }
        self._due, self._is_new = 0.0, True

    def take(self, robot: CommandedRobot) -> None:
        """Write a sample if one is due.

        Raises:
            SoftshellError: the bag cannot be written.
        """
        if robot.time < self._due - 1e-9:
            return
        self._due = robot.time + PERIOD
        with self._writing():
            if self._is_new:
                self._is_new = False
                self._send('/robot_description', 0.0, data=robot.robot.resolved_urdf)
            self._sample(robot)

    def close(self) -> None:
        """Write the end of the bag; before that, readers cannot open it.

        Raises:
            SoftshellError: the bag cannot be written, or a sample before could not.
        """
        if self._lost is None:
            with self._writing():
                self._writer.close()
            return
        with suppress(Exception):
            self._writer.close()
        raise self._lost

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A context that writes to the bag; an error in it is told again by `close`.

        Raises:
            SoftshellError: the bag cannot be written.
        """
        try:
            yield
        except OSError as error:
            text = f'{self._folder} cannot be written: {error.strerror or error}'
            self._lost = SoftshellError(text)
            raise self._lost from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            with suppress(Exception):
                self.close()

    def _sample(self, robot: CommandedRobot) -> None:
        core, time = robot.core, robot.time
        measured, count = core.measured, len(robot.robot.joint_names)
        names, nothing = list(robot.world.joint_map.names), np.zeros(0)
        self._send(
            '/joint_states', time, header=self._header(time, ''), name=names,
            position=measured.position.copy(), velocity=measured.velocity.copy(),
            effort=measured.effort.copy(),
        )  # fmt: skip
        self._send(
            '/joint_commands', time, header=self._header(time, ''), name=names[:count],
            position=core.command.value[:count].copy(),
            velocity=core.command.rate[:count].copy(), effort=nothing,
        )  # fmt: skip
        base = measured.base
        if base is None:
            return
        pose, twist = self._types['geometry_msgs/msg/Pose'], self._types['geometry_msgs/msg/Twist']
        point = self._types['geometry_msgs/msg/Point'](*base.position.tolist())
        turn = self._types['geometry_msgs/msg/Quaternion'](*base.orientation.tolist())
        vector = self._types['geometry_msgs/msg/Vector3']
        moves = vector(*base.linear_velocity.tolist()), vector(*base.angular_velocity.tolist())
        unknown = np.zeros(36)
        self._send(
            '/odom', time, header=self._header(time, 'odom'),
            child_frame_id=robot.robot.base.link,
            pose=self._types['geometry_msgs/msg/PoseWithCovariance'](pose(point, turn), unknown),
            twist=self._types['geometry_msgs/msg/TwistWithCovariance'](twist(*moves), unknown),
        )  # fmt: skip

    def _header(self, time: float, frame: str) -> Any:
        seconds, rest = divmod(round(time * 1e9), 1_000_000_000)
        stamp = self._types['builtin_interfaces/msg/Time'](sec=seconds, nanosec=rest)
        return self._types['std_msgs/msg/Header'](stamp=stamp, frame_id=frame)

    def _send(self, topic: str, time: float, **fields: Any) -> None:
        kind = KINDS[topic]
        data = self._store.serialize_cdr(self._types[kind](**fields), kind)
        self._writer.write(self._connections[topic], round(time * 1e9), data)
