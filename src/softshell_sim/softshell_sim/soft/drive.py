"""What drives the soft manipulators of a robot: its channels."""

import numpy as np
from numpy.typing import NDArray

from softshell_continuum.kernels import Ints
from softshell_description.form import ChannelKind
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, RobotSpec
from softshell_sim.physics.engine import Engine
from softshell_sim.soft.member import soft_member
from softshell_sim.soft.members import SoftMembers
from softshell_sim.urdf.flatten import Flattened


class SoftDrive(SoftMembers):
    """The soft manipulators of a robot, driven by its channels.

    Args:
        robot: the robot.
        engine, body: where it is.
        spec: the robot as the engine has loaded it.
        flat: its flattened URDF.
    """

    def __init__(
        self,
        robot: RobotModel,
        engine: Engine,
        body: Body,
        spec: RobotSpec,
        flat: Flattened,
    ) -> None:
        names = spec.joints
        members = {
            name: soft_member(
                name, each.chain, each.parts, names, body.links, flat.frames, each.tendons
            )
            for name, each in robot.soft.items()
        }
        place = {name: number for number, name in enumerate(robot.channels)}
        self._pulled: dict[str, Ints] = {}
        self._by_length: dict[str, NDArray[np.bool_]] = {}
        for name, each in robot.soft.items():
            pulling = [tendon.name for tendon in each.tendons]
            self._pulled[name] = np.array([place[channel] for channel in pulling], np.int64)
            kinds = [robot.channels[channel].kind is ChannelKind.LENGTH for channel in pulling]
            self._by_length[name] = np.array(kinds, bool)
        super().__init__(engine, body, members, len(names))
        self._whole = np.zeros(len(names))
        self._moments = np.zeros((len(names), len(place)))
        for name, each in robot.soft.items():
            member = self.members[name]
            for channel, form in each.moments.items():
                joints = member.kinds_of(form.actuator)[form.axis]
                self._moments[member.columns[joints], place[channel]] = form.moment

    def release(self) -> None:
        """Let all tendons go slack and all moments be 0 from now on."""
        self.efforts.fill(0.0)
        for name, tensions in self._tensions.items():
            tensions.fill(0.0)
            self._held[name].release()

    def take(self, channels: Array) -> None:
        """Drive them by (channels,) values of the channels that are no joints from now on."""
        np.matmul(self._moments, channels, out=self.efforts)
        for name, places in self._pulled.items():
            values, by_length = channels[places], self._by_length[name]
            self._tensions[name][:] = np.where(by_length, 0.0, np.maximum(values, 0.0))
            self._held[name].lengths[by_length] = values[by_length]

    def tell_released(self, channels: Array) -> None:
        """Write the (channels,) values while nothing drives them: 0, or lengths of tendons [m]."""
        channels.fill(0.0)
        if any(by_length.any() for by_length in self._by_length.values()):
            lengths = self.lengths()
            for name, places in self._pulled.items():
                by_length, names = self._by_length[name], self.members[name].routes.names
                taken = np.array([lengths[each] for each in names])
                channels[places[by_length]] = taken[by_length]

    def with_motors(self, effort: Array, position: Array, velocity: Array) -> Array:
        """(joints,) efforts of the motors and of the manipulators' drives [N m] or [N].

        Args:
            effort: (driven,) of the motors [N m] or [N].
            position: (joints,) now [rad] or [m].
            velocity: (joints,) now [rad/s] or [m/s].
        """
        if not self.members:
            return effort
        self.position[:], self.velocity[:] = position, velocity
        whole = self._whole
        whole.fill(0.0)
        whole[: len(effort)] = effort
        self.add_to(whole)
        return whole

    def place_motors(self, position: Array, velocity: Array) -> None:
        """Put the motors' joints at positions; elastic joints stay where they are, at rest.

        Args:
            position: (driven,) [rad] or [m].
            velocity: (driven,) [rad/s] or [m/s].
        """
        if not self.members:
            self.engine.place_joints(self.body, position, velocity)
            return
        self.read()
        self.velocity.fill(0.0)
        self.position[: len(position)], self.velocity[: len(position)] = position, velocity
        self.engine.place_joints(self.body, self.position, self.velocity)
