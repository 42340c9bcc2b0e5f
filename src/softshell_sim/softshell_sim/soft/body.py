"""A soft manipulator or an assembly of them in an engine."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from softshell_continuum.elastic_chain import chain_of
from softshell_continuum.forms import AssemblyForm, ManipulatorForm
from softshell_continuum.parts import Part, parts_of_assembly, parts_of_manipulator
from softshell_continuum.tendon import Tendon
from softshell_continuum.urdf import urdf
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import UnknownNameError
from softshell_kinematics.limits import checked_pose
from softshell_sim.bodies import Body, BodyState, RobotSpec, Surface
from softshell_sim.contact.self_collision import touching_pairs
from softshell_sim.physics.engine import Engine
from softshell_sim.soft.base import Base, checked_base, hold
from softshell_sim.soft.member import anisotropic_friction_of, soft_member, springs_of
from softshell_sim.soft.members import SoftMembers
from softshell_sim.urdf.flatten import Flattened, flatten


class SoftBody(SoftMembers):
    """A soft manipulator or assembly in an engine.

    Moments, tensions and lengths stay until they are changed; the order of calls does not matter.
    Call `apply` once before each step.

    Args:
        engine: the engine that it is loaded into.
        form: its definition.
        pose: (4, 4) of its origin in the world; None: the world's frame.
        base: how its origin may move, a `Base` or its value, such as 'free'.
        tendons: of manipulators, by name.
        surface: how it touches others.
        self_collision: whether links collide with each other, except those of one manipulator that
            touch while it is straight, such as neighbours.

    Attributes:
        body: in the engine.
        members: its manipulators, by name.
        efforts: (joints,) on the joints besides those of tendons [N m] or [N]; may be written.
        position, velocity: (joints,) as last read [rad] or [m], [rad/s] or [m/s]; joints of its
            stand come last.

    Raises:
        SoftshellError: the engine cannot take it, `pose` is not a pose, there is no such base,
            bodies that are fixed to each other differ in `friction_along`, two tendons of a
            manipulator have one name, or an eye of a tendon is beyond it; the engine is then as
            before.
        UnknownNameError: tendons of a manipulator that it does not have.
    """

    def __init__(
        self,
        engine: Engine,
        form: ManipulatorForm | AssemblyForm,
        pose: Array | None = None,
        base: Base | str = Base.FIXED,
        tendons: Mapping[str, Sequence[Tendon]] | None = None,
        surface: Surface | None = None,
        self_collision: bool = False,
    ) -> None:
        base = checked_base(base)
        at = np.eye(4) if pose is None else checked_pose(pose, 'pose')
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
        held = hold(flat.text, base, at)
        names = (*(part.joint_name for part in moved), *held.joints)
        springs = springs_of(moved, after=len(held.joints))
        body = engine.load(
            RobotSpec(
                form.name, held.urdf, names, base is not Base.FREE, self_collision,
                surface or Surface(), springs=springs,
                anisotropic=anisotropic_friction_of(parts, flat.frames),
            )
        )  # fmt: skip
        try:
            engine.place(body, BodyState.at_rest(held.pose))
            self._origin = body.links.index(parts[0].name)
            members = {
                name: soft_member(
                    name, chain_of([replace(group[0], parent=''), *group[1:]]), group, names,
                    body.links, flat.frames, (tendons or {}).get(name, ()),
                )
                for name, group in groups.items()
            }  # fmt: skip
            if self_collision:
                _ignore_neighbours(engine, body, groups, flat)
            super().__init__(engine, body, members, len(names))
        except BaseException:
            engine.remove(body)
            raise

    @property
    def origin(self) -> Array:
        """(4, 4) pose of its origin in the world.

        Raises:
            UnknownNameError: the body was removed from the engine.
        """
        self._refuse_removed()
        return self.engine.link_pose(self.body, self._origin)

    def apply(self) -> None:
        """Give the engine the efforts of the next step.

        Raises:
            UnknownNameError: the body was removed from the engine.
        """
        self._refuse_removed()
        if self.pulled:
            self.read()
        efforts = np.zeros(len(self.efforts))
        self.add_to(efforts)
        self.engine.apply_effort(self.body, efforts)


def _ignore_neighbours(
    engine: Engine, body: Body, groups: Mapping[str, list[Part]], flat: Flattened
) -> None:
    """Let links of one manipulator that touch now, while it is straight, not collide."""
    own = [
        {body.links.index(flat.frames[part.name][0]) for part in group}
        for group in groups.values()
    ]
    pairs = touching_pairs(engine, body)
    engine.ignore_collisions(
        body, {pair for pair in pairs if any(each.issuperset(pair) for each in own)}
    )


def _groups(form: ManipulatorForm | AssemblyForm) -> Sequence[tuple[str, list[Part]]]:
    """Name and parts of each manipulator; parts are named as in the whole body."""
    if isinstance(form, ManipulatorForm):
        return [(form.name, parts_of_manipulator(form))]
    return [
        (member.name, parts_of_manipulator(member.manipulator, f'{member.name}_'))
        for member in form.members
        if member.manipulator is not None
    ]
