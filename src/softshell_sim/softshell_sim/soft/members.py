"""The soft manipulators of a body in an engine: their moments, tendons and shapes."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from softshell_continuum.kernels import places
from softshell_continuum.tendon import refuse_rigid
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.limits import checked_finite
from softshell_sim.bodies import Body
from softshell_sim.physics.engine import Engine
from softshell_sim.soft.held_tendons import HeldTendons
from softshell_sim.soft.member import SoftMember


class SoftMembers:
    """The soft manipulators of a body in an engine.

    Moments, tensions and lengths stay until they are changed; the order of calls does not matter.

    Args:
        engine, body: where they are.
        members: by name.
        joints: number of the body's joints.

    Attributes:
        members: by name.
        efforts: (joints,) on the joints besides those of tendons [N m] or [N]; may be written.
        position, velocity: (joints,) as last read [rad] or [m], [rad/s] or [m/s].
    """

    def __init__(
        self, engine: Engine, body: Body, members: Mapping[str, SoftMember], joints: int
    ) -> None:
        self.engine, self.body, self.members = engine, body, dict(members)
        # Threads that stretch can be held at lengths, which needs the mass of the joints.
        stretches = any(np.isfinite(each.routes.stiffness).any() for each in members.values())
        self._mass = engine.implicit_mass(body) if stretches else None
        self._tensions = {name: np.zeros(len(m.routes.names)) for name, m in members.items()}
        self._held = {name: HeldTendons(m.routes.stiffness) for name, m in members.items()}
        self.efforts = np.zeros(joints)
        self.position, self.velocity = np.zeros(joints), np.zeros(joints)

    def bend(self, member: str, moments: ArrayLike, actuator: int = 0) -> None:
        """Apply moments to the joints of an actuator from now on.

        Args:
            member: name of the manipulator.
            moments: (axes,) one for each axis of the actuator's joints, in the order in which they
                are defined: e.g. about x, about y [N m].
            actuator: number of the actuator.

        Raises:
            UnknownNameError: there is no such manipulator.
            SoftshellError: another number of moments, one is not finite, or no such actuator.
        """
        chosen = self._member(member)
        kinds = chosen.kinds_of(actuator)
        if not kinds:
            raise SoftshellError(
                f'{member} has no actuator {actuator}; expected 0 to {chosen.actuators.max()}'
            )
        values = np.ravel(np.asarray(moments, float))
        if len(values) != len(kinds):
            raise SoftshellError(
                f'{member} has {len(kinds)} axes in actuator {actuator}; got {len(values)} '
                'moments, expected one for each axis'
            )
        checked_finite(values, f'moments of {member}')
        for joints, value in zip(kinds, values, strict=True):
            self.efforts[chosen.columns[joints]] = value

    def pull(self, member: str, tensions: ArrayLike) -> None:
        """Pull the tendons of a manipulator with tensions from now on.

        Args:
            member: its name.
            tensions: (tendons,) [N]; a tendon never pushes.

        Raises:
            UnknownNameError: there is no such manipulator.
            SoftshellError: another number of tensions, or one is negative or not finite.
        """
        chosen = self._member(member)
        values = np.ravel(np.asarray(tensions, float))
        if (
            values.shape != (len(chosen.routes.names),)
            or not ((values >= 0.0) & np.isfinite(values)).all()
        ):
            raise SoftshellError(
                f'tensions of {member} are {values.tolist()} N; expected '
                f'{len(chosen.routes.names)} numbers of 0 or more'
            )
        self._tensions[member][:] = values

    def hold(self, member: str, lengths: ArrayLike) -> None:
        """Hold tendons of a manipulator at lengths from now on, as winches do.

        Args:
            member: its name.
            lengths: (tendons,) of each thread without load, from where it is pulled to its end
                [m]; NaN: it is not held, but pulled as `pull` says.

        Raises:
            UnknownNameError: there is no such manipulator.
            SoftshellError: another number of lengths, one that is not more than 0 or is infinite,
                or a tendon that cannot stretch.
        """
        chosen = self._member(member)
        values = np.ravel(np.asarray(lengths, float))
        names = chosen.routes.names
        if values.shape != (len(names),) or (values <= 0.0).any() or np.isinf(values).any():
            raise SoftshellError(
                f'lengths of {member} are {values.tolist()} m; expected {len(names)} numbers '
                'above 0, or NaN'
            )
        for place in np.flatnonzero(~np.isnan(values)):
            stiffness = float(chosen.routes.stiffness[place])
            refuse_rigid(f'tendon {names[place]!r} of {member}', stiffness)
        held = self._held[member]
        if np.isnan(values).all():
            held.release()
        held.lengths[:] = values

    @property
    def pulled(self) -> bool:
        """Whether any tendon is pulled or held."""
        held = any(each.any for each in self._held.values())
        return held or any(tensions.any() for tensions in self._tensions.values())

    def read(self) -> None:
        """Bring `position` and `velocity` up to date.

        Raises:
            UnknownNameError: the body was removed from the engine.
        """
        self._refuse_removed()
        self.engine.read_joints(self.body, self.position, self.velocity)

    def lengths(self) -> dict[str, float]:
        """Lengths of all tendons as they are now, by name [m].

        A name that tendons of several manipulators have comes after that of theirs: `left.pull`.

        Raises:
            UnknownNameError: the body was removed from the engine.
        """
        self.read()
        names = [name for member in self.members.values() for name in member.routes.names]
        found: dict[str, float] = {}
        for owner, member in self.members.items():
            lengths, _ = self._taken(member)
            for name, length in zip(member.routes.names, lengths.tolist(), strict=True):
                found[name if names.count(name) == 1 else f'{owner}.{name}'] = length
        return found

    def tensions(self, member: str) -> Array:
        """(tendons,) tensions of a manipulator, the `member` of this name, in the last step [N].

        Raises:
            UnknownNameError: there is no such manipulator.
        """
        held = self._held[self._member(member).name]
        return np.where(np.isnan(held.lengths), self._tensions[member], held.tensions)

    def add_to(self, efforts: Array) -> None:
        """Add the efforts of moments and tendons in the next step [N m] or [N].

        Call it once before each step, when `position` and `velocity` are up to date.

        Args:
            efforts: (joints,) with all other efforts on the joints; is added to.
        """
        efforts += self.efforts
        held = [name for name, tendons in self._held.items() if tendons.any]
        for name, tensions in self._tensions.items():
            if name not in held and tensions.any():
                _, by_joint = self._taken(self.members[name])
                efforts[self.members[name].columns] -= tensions @ by_joint
        if held:
            self._add_held(held, efforts)

    def _add_held(self, names: Sequence[str], efforts: Array) -> None:
        """Add the efforts of all tendons of manipulators that have held ones."""
        assert self._mass is not None
        mass, step = self._mass, self.engine.time_step
        mass.update(self.position, step)
        known = [self._taken(self.members[name]) for name in names]
        for name, (_, by_joint) in zip(names, known, strict=True):
            pulled = np.where(np.isnan(self._held[name].lengths), self._tensions[name], 0.0)
            efforts[self.members[name].columns] -= pulled @ by_joint
        force = efforts + mass.force(self.position, self.velocity, step)
        free = self.velocity + step * (mass.inverse @ force)
        for name, (lengths, by_joint) in zip(names, known, strict=True):
            columns = self.members[name].columns
            answer = mass.inverse[np.ix_(columns, columns)]
            velocities = self.velocity[columns], free[columns]
            tensions = self._held[name].pull(lengths, by_joint, velocities, answer, step)
            efforts[columns] -= tensions @ by_joint

    def _taken(self, member: SoftMember) -> tuple[Array, Array]:
        """Lengths of a manipulator's tendons and efforts by tension, as `Routes.taken`."""
        return member.routes.taken(self.position[member.columns])

    def backbone(self, member: str, arc_lengths: ArrayLike) -> tuple[Array, Array]:
        """Points and directions of a manipulator's backbone.

        Args:
            member: its name.
            arc_lengths: (n,) from its base [m].

        Returns:
            (n, 3) positions [m] and (n, 3) unit tangents in the world.

        Raises:
            UnknownNameError: there is no such manipulator, or the body was removed.
            OutOfRangeError: its backbone is shorter.
        """
        chosen, (turned, origins) = self._member(member), self._frames(member)
        stations = [chosen.chain.station(float(s)) for s in np.ravel(arc_lengths)]
        links = np.array([link for link, _ in stations], np.int64)
        points = np.ascontiguousarray([point for _, point in stations], float).reshape(-1, 3)
        return places(turned, origins, links, points), turned[links, :, 2]

    def tip(self, member: str) -> Array:
        """(4, 4) pose of the end of a manipulator's backbone in the world; z goes along it.

        Args:
            member: name of the manipulator.

        Raises:
            UnknownNameError: there is no such manipulator, or the body was removed.
        """
        chosen, (turned, _) = self._member(member), self._frames(member)
        pose = np.eye(4)
        pose[:3, :3] = turned[-1]
        pose[:3, 3] = self.backbone(member, [chosen.chain.length])[0][0]
        return pose

    def curvature(self, member: str) -> tuple[Array, Array]:
        """Curvature of a manipulator at the places where it has joints.

        Args:
            member: its name.

        Returns:
            (places,) arc lengths [m]; (places, 3) rotation vectors of the joints there, divided by
            the height of a link of their actuator [1/m], in the frames of the links before them.

        Raises:
            UnknownNameError: there is no such manipulator, or the body was removed.
        """
        chosen = self._member(member)
        self.read()
        chain, q = chosen.chain, self.position[chosen.columns]
        arcs, place = np.unique(chain.ends[:-1], return_inverse=True)
        turns = np.zeros((len(arcs), 3))
        np.add.at(turns, place, (q / chosen.heights)[:, None] * chain.axes)
        return arcs, turns

    def save(self) -> tuple[tuple[Array, ...], ...]:
        """What drives them and was last read, as copies, for `restore`; `Engine.save` has bodies.

        Tendons that are held remember from step to step what else moves the joints.
        """
        held = [each.save() for each in self._held.values()]
        tensions = tuple(each.copy() for each in self._tensions.values())
        return (self.efforts.copy(), self.position.copy(), self.velocity.copy()), tensions, *held

    def restore(self, content: tuple[tuple[Array, ...], ...]) -> None:
        """Go on as after `save`; `content` is what it returned."""
        (self.efforts[:], self.position[:], self.velocity[:]), tensions, *held = content
        for kept, each in zip(self._tensions.values(), tensions, strict=True):
            kept[:] = each
        for tendons, remembered in zip(self._held.values(), held, strict=True):
            tendons.restore(remembered)

    def _refuse_removed(self) -> None:
        bodies = self.engine.bodies
        if bodies.get(self.body.name) is not self.body:
            raise UnknownNameError('body', self.body.name, bodies)

    def _member(self, name: str) -> SoftMember:
        if name not in self.members:
            raise UnknownNameError('manipulator', name, self.members)
        return self.members[name]

    def _frames(self, name: str) -> tuple[Array, Array]:
        """Rotations and origins of a manipulator's base and links in the world."""
        member = self._member(name)
        self.read()
        base = self.engine.link_pose(self.body, member.link) @ member.base
        turned, origins, _ = member.chain.frames(self.position[member.columns], base)
        return turned, origins
