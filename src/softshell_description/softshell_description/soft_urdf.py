"""The soft manipulators of a robot in its URDF: those that it lacks, and those that it has."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from softshell_continuum.parts import Part
from softshell_continuum.urdf import add_parts
from softshell_description.soft import SoftSpec
from softshell_kinematics.errors import ProblemsError, UnknownNameError
from softshell_kinematics.model.urdf import Joint, Link, Urdf

#: Largest difference between numbers of a URDF and of a definition, as a part of the largest of
#: them; lengths and angles count as at least 1 m and 1 rad.
AGREEMENT = 1e-6


def with_soft(text: str, soft: Iterable[SoftSpec]) -> str:
    """A URDF with the manipulators that it lacks, whatever their order.

    Args:
        text: the URDF. Manipulators whose base link it has, as from a macro, are left as they are.
        soft: of the robot.

    Raises:
        ProblemsError: the link of a manipulator is in neither the URDF nor another manipulator,
            or manipulators are on one another in a ring.
    """
    root = ElementTree.fromstring(text)
    links = {link.get('name', '') for link in root.findall('link')}
    lacking = [spec for spec in soft if spec.parts[0].name not in links]
    if not lacking:
        return text
    problems = _misplaced(lacking, links)
    if problems:
        raise ProblemsError('soft', list(dict.fromkeys(problems)))
    for spec in lacking:
        add_parts(root, spec.parts)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding='unicode') + '\n'


def _misplaced(lacking: Sequence[SoftSpec], links: set[str]) -> list[str]:
    """What is wrong with the links of manipulators that a URDF with these links lacks."""
    carriers = {part.name: spec for spec in lacking for part in spec.parts}
    problems = []
    for spec in lacking:
        first = spec.parts[0]
        if not first.parent:
            problems.append(
                f'{spec.where}: has no link, and the URDF has no link {first.name!r}; expected '
                f'the link that it is fixed to, or a soft_manipulator {spec.name!r} in the URDF'
            )
        elif first.parent not in links and first.parent not in carriers:
            error = UnknownNameError('link', first.parent, {*links, *carriers})
            problems.append(f'{spec.where}.link: {error}')
        elif ring := _ring(spec, carriers):
            text = f'is a ring: {" on ".join(ring)}; expected a link of the URDF in the end'
            problems.append(f'{spec.where}.link: {text}')
    return problems


def _ring(spec: SoftSpec, carriers: Mapping[str, SoftSpec]) -> list[str]:
    """Names of the manipulators of a ring, from one around to itself; empty: it is on no ring."""
    names = [spec.name]
    below = carriers.get(spec.parts[0].parent)
    while below is not None and below.name not in names:
        names.append(below.name)
        below = carriers.get(below.parts[0].parent)
    return [*names, spec.name] if below is spec else []


def soft_problems(urdf: Urdf, soft: Iterable[SoftSpec]) -> Iterator[str]:
    """Where soft manipulators in a URDF are not what their definitions say, one line for each.

    Args:
        urdf: with all manipulators.
        soft: of the robot.
    """
    links = {link.name: link for link in urdf.links}
    for spec in soft:
        for part in spec.parts:
            problem = _problem(part, spec, links.get(part.name), urdf.carriers.get(part.name))
            if problem:
                yield f'{spec.where}: {problem}'
                break


def _problem(part: Part, spec: SoftSpec, link: Link | None, joint: Joint | None) -> str:
    """What is wrong with a body of a manipulator in a URDF; empty if nothing is."""
    first, differing = spec.parts[0], ''
    if link is not None and joint is not None:
        if part is first and not part.parent:
            return ''  # only the URDF says what it is fixed to
        if joint.parent == part.parent and part.joint_name in ('', joint.name):
            differing = next(_differences(part, link, joint), '')
            if not differing:
                return ''
    if differing:
        return (
            f'{differing} of {part.name!r} in the URDF is not that of the definition; expected '
            'the same definition in both'
        )
    name = part.joint_name or f'{part.name}_fixed'
    return (
        f'the URDF has a link {first.name!r} and no joint {name!r} from {part.parent!r} to '
        f'{part.name!r}; expected all of {spec.name}, or none'
    )


def _differences(part: Part, link: Link, joint: Joint) -> Iterator[str]:
    """What differs between a body of a definition and one of a URDF."""
    if joint.type != ('fixed' if part.joint is None else part.joint.kind.value):
        yield 'the type of the joint'
    rows: list[tuple[str, ArrayLike, ArrayLike, float]] = [
        ('the origin', joint.origin, part.pose, 1.0),
        ('the mass', link.mass, part.mass, 0.0),
        ('the inertia', link.inertia, part.inertia, 0.0),
    ]
    if part.mass > 0.0:  # else it has none
        rows.append(('the centre of mass', link.com, part.centre, 1.0))
    if part.joint is not None:
        rows.append(('the axis', joint.axis, part.joint.axis, 1.0))
        if joint.type == 'revolute':
            limits = part.joint.limits
            found, wanted = (joint.lower, joint.upper), (limits.lower, limits.upper)
            rows.append(('the range', found, wanted, 1.0))
    for name, have, want, unit in rows:
        largest = max(unit, float(np.abs(want).max()))
        if np.abs(np.subtract(have, want)).max() > AGREEMENT * largest:
            yield name
