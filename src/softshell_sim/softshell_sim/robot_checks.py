"""What no engine can take of a tree of links, in the same words for all."""

from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.urdf import LOOSE_TYPES
from softshell_kinematics.urdf_reader import parse_urdf
from softshell_sim.bodies import RobotSpec
from softshell_sim.tree import refuse_weightless


def refuse_robot(spec: RobotSpec) -> None:
    """Check a tree of links before an engine hears of it.

    Raises:
        SoftshellError: its URDF cannot be read, a joint has several coordinates, or parts that
            can move have no mass or inertia, or it has springs for other joints; the text names
            them.
        UnknownNameError: one of its joints, or of the links with anisotropic friction, is not in
            the URDF.
    """
    urdf = parse_urdf(spec.urdf)  # PyBullet crashes on some that are none
    for joint in urdf.joints:
        if joint.type in LOOSE_TYPES:
            raise SoftshellError(
                f'robot {spec.name!r}: joint {joint.name!r} is {joint.type}; expected revolute, '
                'continuous, prismatic or fixed joints'
            )
    known = [joint.name for joint in urdf.joints if joint.movable]
    for name in spec.joints:
        if name not in known:
            raise UnknownNameError(f'joint of {spec.name!r}', name, known)
    if spec.springs is not None and len(spec.springs) != len(spec.joints):
        raise SoftshellError(
            f'robot {spec.name!r}: springs of {len(spec.springs)} joints; expected '
            f'{len(spec.joints)}, one for each of its joints'
        )
    links = [link.name for link in urdf.links]
    for name in spec.anisotropic:
        if name not in links:
            raise UnknownNameError(f'link of {spec.name!r}', name, links)
    refuse_weightless(urdf, spec.fixed)
