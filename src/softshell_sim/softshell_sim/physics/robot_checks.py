"""Checks of a robot that are the same for every engine."""

from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.model.urdf import LOOSE_TYPES
from softshell_sim.bodies import RobotSpec
from softshell_sim.urdf.parsed import parsed
from softshell_sim.urdf.tree import refuse_weightless


def refuse_robot(spec: RobotSpec) -> None:
    """Check the specification of a robot before an engine loads it.

    Raises:
        SoftshellError: its URDF cannot be read, a joint has several coordinates (floating,
            planar), a joint is left out or given twice, a part that can move has no mass or
            inertia, or there are not as many springs or rotor inertias as joints; the text names
            the part.
        UnknownNameError: one of its joints, or of the links with anisotropic friction, is not in
            the URDF.
    """
    urdf = parsed(spec.urdf)  # first, for PyBullet crashes on some invalid ones
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
    missing = [name for name in known if name not in spec.joints]
    if missing or len(spec.joints) > len(known):
        wrong = f'lack {", ".join(missing)}' if missing else 'have one twice'
        raise SoftshellError(
            f'robot {spec.name!r}: its joints {wrong}; expected each joint of its URDF that '
            'moves, once'
        )
    for what, values in (('springs', spec.springs), ('rotor inertia', spec.rotor_inertia or None)):
        if values is not None and len(values) != len(spec.joints):
            raise SoftshellError(
                f'robot {spec.name!r}: {what} of {len(values)} joints; expected '
                f'{len(spec.joints)}, one for each of its joints'
            )
    links = [link.name for link in urdf.links]
    for name in spec.anisotropic:
        if name not in links:
            raise UnknownNameError(f'link of {spec.name!r}', name, links)
    refuse_weightless(urdf, spec.fixed)
