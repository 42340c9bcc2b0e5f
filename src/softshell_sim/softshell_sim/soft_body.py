"""A soft manipulator or an assembly of them in an engine: what drives it, and its shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from softshell_continuum.elastic_chain import ElasticChain, chain_of
from softshell_continuum.forms import AssemblyForm, ManipulatorForm
from softshell_continuum.kernels import Ints, places
from softshell_continuum.parts import Part, parts_of_assembly, parts_of_manipulator
from softshell_continuum.routes import Routes
from softshell_continuum.tendon import Tendon
from softshell_continuum.urdf import urdf
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_sim.bodies import BodyState, RobotSpec, Surface
from softshell_sim.engine import Engine
from softshell_sim.flatten import flatten
from softshell_sim.springs import Springs


@dataclass(frozen=True, eq=False)
class SoftMember:
    """One manipulator of a soft body.

    Attributes:
        name: of the manipulator.
        chain: its joints and backbone.
        columns: (joints,) of its joints in the arrays of the body.
        link: place of the body's link that its base is part of.
        base: (4, 4) of its base in that link.
        actuators: (joints,) number of the actuator of each joint.
        routes: of its tendons.
    """

    name: str
    chain: ElasticChain
    columns: Ints
    link: int
    base: Array
    actuators: Ints
    routes: Routes


class SoftBody:
    """A soft manipulator or assembly in an engine.

    What drives it stays until it is changed, whatever the order of calls; `apply` brings it to the
    engine, once before each step.

    Args:
        engine: where it is.
        form: what it is.
        pose: (4, 4) of its origin in the world; None: the world's frame.
        fixed: whether its origin stands still.
        tendons: of manipulators, by name.
        surface: how it touches others.
        self_collision: whether links that are no neighbours touch.

    Attributes:
        body: in the engine.
        members: its manipulators, by name.
        efforts: (joints,) that drive the joints besides tendons [N m]; may be written.
        position, velocity: (joints,) as last read [rad], [rad/s].

    Raises:
        SoftshellError: the engine cannot take it.
        UnknownNameError: tendons of a manipulator that it does not have.
    """

    def __init__(
        self,
        engine: Engine,
        form: ManipulatorForm | AssemblyForm,
        pose: Array | None = None,
        fixed: bool = True,
        tendons: Mapping[str, Sequence[Tendon]] | None = None,
        surface: Surface | None = None,
        self_collision: bool = False,
    ) -> None:
        self.engine = engine
        groups = dict(_groups(form))
        for name in tendons or {}:
            if name not in groups:
                raise UnknownNameError('manipulator', name, groups)
        parts = (
            parts_of_manipulator(form)
            if isinstance(form, ManipulatorForm)
            else parts_of_assembly(form)
        )
        flat = flatten(urdf(form.name, parts), visuals=True)
        moved = [part for part in parts if part.joint is not None]
        names = tuple(part.joint_name for part in moved)
        self.body = engine.load(
            RobotSpec(
                form.name, flat.text, names, fixed, self_collision, surface or Surface(),
                springs=_springs(moved),
            )
        )  # fmt: skip
        engine.place(self.body, BodyState.at_rest(np.eye(4) if pose is None else pose))
        self.members = {
            name: _member(
                name, group, names, self.body.links, flat.frames, (tendons or {}).get(name, ())
            )
            for name, group in groups.items()
        }
        self._tensions = {name: np.zeros(len(m.routes.names)) for name, m in self.members.items()}
        self.efforts = np.zeros(len(names))
        self.position, self.velocity = np.zeros(len(names)), np.zeros(len(names))

    def bend(self, member: str, moments: ArrayLike, actuator: int = 0) -> None:
        """Have moments in the joints of an actuator from now on.

        Args:
            member: name of the manipulator.
            moments: one for each of the actuator's kinds of joints, in the order in which they are
                defined: e.g. about x, about y [N m].
            actuator: number of the actuator.

        Raises:
            UnknownNameError: there is no such manipulator.
            SoftshellError: another number of moments, or no such actuator.
        """
        chosen = self._member(member)
        joints = np.flatnonzero(chosen.actuators == actuator)
        if not len(joints):
            raise SoftshellError(
                f'{member} has no actuator {actuator}; expected 0 to {chosen.actuators.max()}'
            )
        axes = chosen.chain.axes[joints]
        kinds = [
            k for k in range(len(axes)) if not any(np.allclose(axes[k], axes[j]) for j in range(k))
        ]
        values = np.ravel(np.asarray(moments, float))
        if len(values) != len(kinds):
            raise SoftshellError(
                f'{member} has {len(kinds)} axes in actuator {actuator}; got {len(values)} moments'
            )
        for kind, value in zip(kinds, values, strict=True):
            alike = joints[np.isclose(axes, axes[kind]).all(axis=1)]
            self.efforts[chosen.columns[alike]] = value

    def pull(self, member: str, tensions: ArrayLike) -> None:
        """Have tensions in the tendons of a manipulator from now on.

        Args:
            member: its name.
            tensions: (tendons,) [N]; a tendon never pushes.

        Raises:
            UnknownNameError: there is no such manipulator.
            SoftshellError: another number of tensions, or one is negative.
        """
        chosen = self._member(member)
        values = np.ravel(np.asarray(tensions, float))
        if values.shape != (len(chosen.routes.names),) or not (values >= 0.0).all():
            raise SoftshellError(
                f'tensions of {member} are {values.tolist()} N; expected '
                f'{len(chosen.routes.names)} numbers of 0 or more'
            )
        self._tensions[member][:] = values

    def read(self) -> None:
        """Bring `position` and `velocity` up to date."""
        self.engine.read_joints(self.body, self.position, self.velocity)

    def apply(self) -> None:
        """Have the engine know what drives it in the next step."""
        efforts = self.efforts
        if any(tensions.any() for tensions in self._tensions.values()):
            self.read()
            efforts = efforts.copy()
            for name, member in self.members.items():
                tensions = self._tensions[name]
                if tensions.any():
                    frames = member.chain.frames(self.position[member.columns])
                    efforts[member.columns] -= tensions @ member.routes.taken(*frames)[1]
        self.engine.apply_effort(self.body, efforts)

    def backbone(self, member: str, arc_lengths: ArrayLike) -> tuple[Array, Array]:
        """Points of a manipulator's backbone, and where it goes.

        Args:
            member: its name.
            arc_lengths: (n,) from its base [m].

        Returns:
            (n, 3) positions [m] and (n, 3) unit tangents in the world.

        Raises:
            UnknownNameError: there is no such manipulator.
            OutOfRangeError: its backbone is shorter.
        """
        chosen, (turned, origins) = self._member(member), self._frames(member)
        stations = [chosen.chain.station(float(s)) for s in np.ravel(arc_lengths)]
        links = np.array([link for link, _ in stations], np.int64)
        points = np.ascontiguousarray([point for _, point in stations], float).reshape(-1, 3)
        return places(turned, origins, links, points), turned[links, :, 2]

    def tip(self, member: str) -> Array:
        """(4, 4) pose of the end of a manipulator's backbone in the world, which goes along z."""
        chosen, (turned, _) = self._member(member), self._frames(member)
        pose = np.eye(4)
        pose[:3, :3] = turned[-1]
        pose[:3, 3] = self.backbone(member, [chosen.chain.length])[0][0]
        return pose

    def curvature(self, member: str) -> tuple[Array, Array]:
        """How much a manipulator is bent where it can bend.

        Args:
            member: its name.

        Returns:
            (places,) arc lengths [m]; (places, 3) rotation vectors of the joints there by the
            length between places [1/m], in the frames before them.
        """
        chosen = self._member(member)
        self.read()
        chain, q = chosen.chain, self.position[chosen.columns]
        at = chain.ends[:-1]
        arcs = np.unique(at)
        spacing = np.gradient(arcs) if len(arcs) > 1 else np.array([chain.length])
        turns = np.zeros((len(arcs), 3))
        np.add.at(turns, np.searchsorted(arcs, at), q[:, None] * chain.axes)
        return arcs, turns / spacing[:, None]

    def _member(self, name: str) -> SoftMember:
        if name not in self.members:
            raise UnknownNameError('manipulator', name, self.members)
        return self.members[name]

    def _frames(self, name: str) -> tuple[Array, Array]:
        member = self._member(name)
        self.read()
        base = self.engine.link_pose(self.body, member.link) @ member.base
        turned, origins, _ = member.chain.frames(self.position[member.columns], base)
        return turned, origins


def _groups(form: ManipulatorForm | AssemblyForm) -> Sequence[tuple[str, list[Part]]]:
    """Name and bodies of each manipulator; their names are those in the whole."""
    if isinstance(form, ManipulatorForm):
        return [(form.name, parts_of_manipulator(form))]
    return [
        (member.name, parts_of_manipulator(member.manipulator, f'{member.name}_'))
        for member in form.members
        if member.manipulator is not None
    ]


def _member(
    name: str,
    parts: Sequence[Part],
    joints: Sequence[str],
    links: Sequence[str],
    frames: Mapping[str, tuple[str, Array]],
    tendons: Sequence[Tendon],
) -> SoftMember:
    """A manipulator in a flattened body of these joints and links."""
    chain = chain_of([replace(parts[0], parent=''), *parts[1:]])
    moved = [part for part in parts if part.joint is not None]
    columns = np.array([joints.index(part.joint_name) for part in moved], np.int64)
    link, base = frames[parts[0].name]
    return SoftMember(
        name, chain, columns, links.index(link), base,
        np.array([part.actuator for part in moved], np.int64), Routes(chain, tendons),
    )  # fmt: skip


def _springs(moved: Sequence[Part]) -> Springs:
    joints = [part.joint for part in moved if part.joint is not None]
    return Springs.of(
        [joint.stiffness for joint in joints],
        [joint.damping for joint in joints],
        [joint.neutral for joint in joints],
        [joint.friction for joint in joints],
    )
