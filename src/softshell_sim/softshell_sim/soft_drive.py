"""What drives the soft manipulators of a robot: its channels."""

import numpy as np

from softshell_continuum.kernels import Ints
from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body
from softshell_sim.engine import Engine
from softshell_sim.flatten import Flattened
from softshell_sim.soft_members import SoftMembers, soft_member


class SoftDrive(SoftMembers):
    """The soft manipulators of a robot, driven by its channels.

    Args:
        robot: the robot.
        joint_map: order of its joints.
        engine, body: where it is.
        flat: its URDF in which every joint moves.
    """

    def __init__(
        self, robot: RobotModel, joint_map: JointMap, engine: Engine, body: Body, flat: Flattened
    ) -> None:
        names = joint_map.names
        members = {
            name: soft_member(
                name, spec.chain, spec.parts, names, body.links, flat.frames, spec.tendons
            )
            for name, spec in robot.soft.items()
        }
        super().__init__(engine, body, members, len(names))
        place = {name: number for number, name in enumerate(robot.channels)}
        self._pulled: dict[str, Ints] = {
            name: np.array([place[tendon.name] for tendon in spec.tendons], np.int64)
            for name, spec in robot.soft.items()
        }
        self._whole = np.zeros(len(names))
        self._moments = np.zeros((len(names), len(place)))
        for name, spec in robot.soft.items():
            member = self.members[name]
            for channel, form in spec.moments.items():
                joints = member.kinds_of(form.actuator)[form.axis]
                self._moments[member.columns[joints], place[channel]] = form.moment

    def release(self) -> None:
        """Have nothing drive them from now on."""
        self.efforts.fill(0.0)
        for tensions in self._tensions.values():
            tensions.fill(0.0)

    def take(self, channels: Array) -> None:
        """Have (channels,) values of what is no joint's position drive them from now on."""
        np.matmul(self._moments, channels, out=self.efforts)
        for name, places in self._pulled.items():
            self._tensions[name][:] = np.maximum(channels[places], 0.0)

    def with_motors(self, effort: Array, position: Array, velocity: Array) -> Array:
        """(joints,) efforts of motors and of all that is soft [N m] or [N].

        Args:
            effort: (driven,) of the motors.
            position, velocity: (joints,) now.
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
        """Put (driven,) joints somewhere [rad] or [m]; elastic ones stay, at rest."""
        if not self.members:
            self.engine.place_joints(self.body, position, velocity)
            return
        self.read()
        self.velocity.fill(0.0)
        self.position[: len(position)], self.velocity[: len(position)] = position, velocity
        self.engine.place_joints(self.body, self.position, self.velocity)

    def save(self) -> tuple[Array, ...]:
        """What drives them, as a copy."""
        return (self.efforts.copy(), *(each.copy() for each in self._tensions.values()))

    def restore(self, content: tuple[Array, ...]) -> None:
        """Have what `save` gave drive them again."""
        self.efforts[:], *tensions = content
        for held, each in zip(self._tensions.values(), tensions, strict=True):
            held[:] = each
