"""Reading a URDF; all problems of its links and joints are listed at once."""

import codecs
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from reprlib import repr as shortened
from typing import TypeVar

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.limits import LARGEST_ANGLE, checked_within
from softshell_kinematics.model.urdf import JOINT_TYPES, LOOSE_TYPES, Joint, Link, Mimic, Urdf
from softshell_kinematics.model.urdf_mimics import follow_leaders, mimic_problems
from softshell_kinematics.transforms import rotation_from_angles

Item = TypeVar('Item', Link, Joint)
#: A declared encoding is of characters that most encodings share.
_ENCODING = re.compile(rb"""\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.-]+)["']""")
#: The same in a text, where it is another encoding than that of most texts.
_OTHER_ENCODING = re.compile(
    r"""(\s*<\?xml\b[^>]*?)\s+encoding\s*=\s*(["'])(?!utf-?8\2)[\w.-]+\2""", re.IGNORECASE
)
#: Byte order marks and what they tell; that of UTF-32 begins as one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, 'UTF-8', 'utf-8-sig'),
    (codecs.BOM_UTF32_LE, 'UTF-32', 'utf-32'),
    (codecs.BOM_UTF32_BE, 'UTF-32', 'utf-32'),
    (codecs.BOM_UTF16_LE, 'UTF-16', 'utf-16'),
    (codecs.BOM_UTF16_BE, 'UTF-16', 'utf-16'),
)
_NAMESPACE = re.compile(r"""(<robot\b[^>]*?)\s+xmlns\s*=\s*("[^"]*"|'[^']*')""")


def plain_xml(text: str) -> str:
    """The text of a URDF as XML parsers take it, with the same meaning.

    Without a default namespace, such as Drake's, and without blanks before `<?xml`.
    """
    bare = text.lstrip()
    return _NAMESPACE.sub(r'\1', bare if bare.startswith('<?xml') else text)


def xml_text(content: bytes) -> str:
    """The text of an XML file.

    Its encoding is that of its byte order mark, else the one that it declares, else UTF-8, as in
    appendix F of XML 1.0. The text declares none but UTF-8, so that it may be written as such.

    Raises:
        SoftshellError: it is not text of this encoding.
    """
    declared = _ENCODING.match(content)
    encoding = codec = 'UTF-8' if declared is None else declared[1].decode()
    marked = next((one for one in _MARKS if content.startswith(one[0])), None)
    if marked is not None:
        _, encoding, codec = marked
    try:
        text = content.decode(codec)
    except (UnicodeError, LookupError) as error:
        place = ''
        if isinstance(error, UnicodeDecodeError):
            place = f' (line {content.count(10, 0, error.start) + 1})'
        raise SoftshellError(f'it is not {encoding} text{place}') from None
    found = _OTHER_ENCODING.match(text)
    return text if found is None else found[1] + text[found.end() :]


def read_urdf(source: Urdf | str | Path) -> Urdf:
    """A URDF from its text or its file.

    Args:
        source: the XML, or the path of its file; a `Urdf` is returned as it is.

    Raises:
        SoftshellError: there is no such file, it cannot be read, it is a xacro, or its text is
            not the XML of a robot.
        ProblemsError: everything that is wrong with its links and joints.
    """
    if isinstance(source, Urdf):
        return source
    if isinstance(source, str) and '<' in source:
        return parse_urdf(source)
    if not isinstance(source, str | Path):
        raise SoftshellError(
            f'URDF is {shortened(source)}; expected the path of a URDF, or its XML as a text'
        )
    path = Path(source)
    if path.suffix == '.xacro':
        raise SoftshellError(f'{path} is a xacro; expected a URDF, as `xacro {path}` prints it')
    try:
        text = xml_text(path.read_bytes())
    except (OSError, ValueError, SoftshellError) as error:  # ValueError: of a path with a NUL
        reason = error.strerror if isinstance(error, OSError) else error
        raise SoftshellError(
            f'URDF {str(source)!r} cannot be read: {reason}; expected the path of a URDF, or its '
            'XML'
        ) from None
    return parse_urdf(text)


def parse_urdf(text: str) -> Urdf:
    """Read a URDF.

    Mass and inertia, which only a simulation needs, may be missing. A joint that cannot follow the
    joint that it mimics gets a `problem`: no chain can cross it, and all other joints can be used.

    Args:
        text: the XML (xacro already expanded).

    Raises:
        SoftshellError: the text is not the XML of a robot, or is a xacro.
        ProblemsError: everything that is wrong with its links and joints.
    """
    try:
        robot = ElementTree.fromstring(plain_xml(text))
    except ElementTree.ParseError as error:
        raise SoftshellError(f'URDF is not XML: {error}') from error
    if robot.tag != 'robot':
        raise SoftshellError(f'URDF starts with <{robot.tag}>; expected <robot>')
    for element in robot.iter():
        namespace, _, tag = element.tag.rpartition('}')
        if 'xacro' in namespace:
            raise SoftshellError(
                f'URDF has <xacro:{tag}>; expected one that is expanded, as `xacro FILE` prints it'
            )
    problems: list[str] = []
    links = [_read(_link, element, problems) for element in robot.findall('link')]
    joints = [_read(_joint, element, problems) for element in robot.findall('joint')]
    urdf = Urdf(
        robot.get('name', ''),
        tuple(link for link in links if link is not None),
        tuple(joint for joint in joints if joint is not None),
    )
    # The structure is only judged if all could be read: otherwise parts of it are missing.
    problems = problems or _structure_problems(urdf)
    if problems:
        raise ProblemsError(f'URDF {urdf.name!r}', problems)
    return replace(urdf, joints=_following(urdf.joints))


def _following(joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """Make joints that mimic follow the joint at the end of the line, or say why they cannot."""
    problems = mimic_problems(joints)
    sound = {
        joint.name: joint
        for joint in follow_leaders([joint for joint in joints if joint.name not in problems])
    }
    return tuple(
        sound.get(joint.name) or replace(joint, mimic=None, problem=problems[joint.name])
        for joint in joints
    )


def _read(
    reader: Callable[[ElementTree.Element], Item],
    element: ElementTree.Element,
    problems: list[str],
) -> Item | None:
    try:
        return reader(element)
    except SoftshellError as error:
        problems.append(f'{element.tag} {element.get("name", "without name")!r}: {error}')
        return None


def _link(element: ElementTree.Element) -> Link:
    name = _required(element, 'name')
    inertial = element.find('inertial')
    if inertial is None:
        return Link(name)
    origin, weight = origin_of(inertial.find('origin')), inertial.find('mass')
    mass = 0.0 if weight is None else _number(weight, 'value')
    if mass < 0.0:
        raise SoftshellError(f'mass is {mass:g}; expected 0 or more')
    values = inertial.find('inertia')
    if values is None:
        return Link(name, mass, origin[:3, 3].copy())
    xx, xy, xz, yy, yz, zz = (
        _number(values, key) for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turn = origin[:3, :3]
    return Link(name, mass, origin[:3, 3].copy(), turn @ inertia @ turn.T)


def _joint(element: ElementTree.Element) -> Joint:
    kind = _required(element, 'type')
    if kind not in JOINT_TYPES:
        raise SoftshellError(f'type is {kind!r}; expected one of: {", ".join(JOINT_TYPES)}')
    axis = vector_of(element.find('axis'), 'xyz', (1.0, 0.0, 0.0))
    largest = float(np.abs(axis).max())
    if largest > 1e100:
        axis = axis / largest  # the square of its length would be infinite
    length = float(np.linalg.norm(axis))
    if kind not in ('fixed', 'floating') and length < 1e-9:
        raise SoftshellError(f'axis is {axis.tolist()}; expected a direction')
    limit = element.find('limit')
    if limit is None and kind in ('revolute', 'prismatic'):
        raise SoftshellError(f'a {kind} joint needs <limit>')
    lower, upper = _range(limit, kind)
    return Joint(
        name=_required(element, 'name'),
        type=kind,
        parent=_required(_child(element, 'parent'), 'link'),
        child=_required(_child(element, 'child'), 'link'),
        origin=origin_of(element.find('origin')),
        axis=axis / length if length > 0.0 else axis,
        lower=lower,
        upper=upper,
        effort=np.inf if limit is None else _number(limit, 'effort', np.inf),
        velocity=np.inf if limit is None else _number(limit, 'velocity', np.inf),
        # A joint without a coordinate, or with several, has no position that could follow one.
        mimic=None if kind in ('fixed', *LOOSE_TYPES) else _mimic(element.find('mimic')),
    )


def _range(limit: ElementTree.Element | None, kind: str) -> tuple[float, float]:
    if limit is None or kind not in ('revolute', 'prismatic'):
        return -np.inf, np.inf
    lower, upper = _number(limit, 'lower', 0.0), _number(limit, 'upper', 0.0)
    if lower > upper:
        raise SoftshellError(f'lower limit {lower} is above upper limit {upper}')
    return lower, upper


def _mimic(element: ElementTree.Element | None) -> Mimic | None:
    if element is None:
        return None
    return Mimic(
        _required(element, 'joint'),
        _number(element, 'multiplier', 1.0),
        _number(element, 'offset', 0.0),
    )


def _structure_problems(urdf: Urdf) -> list[str]:
    """Why links and joints are not one tree."""
    problems = []
    for kind, items in (('link', urdf.links), ('joint', urdf.joints)):
        names = [item.name for item in items]
        for name in sorted({name for name in names if names.count(name) > 1}):
            problems.append(f'{kind} {name!r} occurs {names.count(name)} times')
    links = {link.name for link in urdf.links}
    children = [joint.child for joint in urdf.joints]
    for joint in urdf.joints:
        for role, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in links:
                problems.append(f'joint {joint.name!r}: {role} link {link!r} does not exist')
    for link in sorted({child for child in children if children.count(child) > 1}):
        problems.append(f'link {link!r} is the child of {children.count(link)} joints')
    roots = [link.name for link in urdf.links if link.name not in children]
    if not links:
        problems.append('it has no link; expected one or more')
    elif len(roots) != 1:
        problems.append(f'{len(roots)} root links ({", ".join(roots) or "a loop"}); expected one')
    elif not problems:
        problems += _unreached(urdf, roots[0])
    return problems


def _unreached(urdf: Urdf, root: str) -> list[str]:
    reached, frontier = {root}, [root]
    while frontier:
        parent = frontier.pop()
        new = [joint.child for joint in urdf.joints if joint.parent == parent]
        reached.update(new)
        frontier += new
    return [
        f'link {link.name!r} hangs in a loop that {root!r} does not reach'
        for link in urdf.links
        if link.name not in reached
    ]


def _child(element: ElementTree.Element, tag: str) -> ElementTree.Element:
    child = element.find(tag)
    if child is None:
        raise SoftshellError(f'<{element.tag}> needs <{tag}>')
    return child


def _required(element: ElementTree.Element, key: str) -> str:
    value = element.get(key)
    if not value:
        raise SoftshellError(f'<{element.tag}> needs {key}="..."')
    return value


def _number(element: ElementTree.Element, key: str, default: float | None = None) -> float:
    if default is not None and key not in element.attrib:
        return default
    text = _required(element, key)
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise SoftshellError(f'<{element.tag}> {key} is {text!r}; expected a finite number')
    return value


def vector_of(
    element: ElementTree.Element | None, key: str, default: tuple[float, float, float]
) -> Array:
    """(3,) numbers of an attribute; the default without it, or without the element.

    Raises:
        SoftshellError: these are not three finite numbers.
    """
    text = None if element is None else element.get(key)
    if element is None or text is None:
        return np.array(default)
    try:
        values = np.array([float(part) for part in text.split()])
    except ValueError:
        values = np.empty(0)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise SoftshellError(f'<{element.tag}> {key} is {text!r}; expected three finite numbers')
    return values


def origin_of(element: ElementTree.Element | None) -> Array:
    """(4, 4) pose that an `<origin>` states [m]; the identity without one.

    Raises:
        SoftshellError: its numbers are not three finite ones each, or an angle is too large.
    """
    origin = np.eye(4)
    roll_pitch_yaw = vector_of(element, 'rpy', (0.0, 0.0, 0.0))
    checked_within(roll_pitch_yaw, LARGEST_ANGLE, '<origin> rpy', 'rad')
    origin[:3, :3] = rotation_from_angles(roll_pitch_yaw[::-1])
    origin[:3, 3] = vector_of(element, 'xyz', (0.0, 0.0, 0.0))
    return origin
