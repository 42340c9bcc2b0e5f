"""A URDF's links and joints as plain numbers, without ROS."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softshell_common.errors import ProblemsError, SoftshellError, UnknownNameError

Array = NDArray[np.float64]

JOINT_TYPES = ('revolute', 'continuous', 'prismatic', 'fixed')


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: position = multiplier · position(joint) + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid body.

    Args:
        name: of the link.
        mass: [kg]; 0 for a link that is only a frame.
        com: (3,) centre of mass [m] in the link frame.
        inertia: (3, 3) about the centre of mass, along the link frame's axes [kg m^2].
    """

    name: str
    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between two links.

    Args:
        name: of the joint.
        type: one of `JOINT_TYPES`.
        parent, child: names of links.
        origin: (4, 4) pose of the joint frame (and of the child at 0) in the parent link.
        axis: (3,) unit vector in the joint frame.
        lower, upper: limits [rad or m]; infinite where the URDF gives none.
        effort: largest effort [N m or N]; infinite where the URDF gives none.
        velocity: largest speed [rad/s or m/s]; infinite where the URDF gives none.
        mimic: what it follows, if anything.
    """

    name: str
    type: str
    parent: str
    child: str
    origin: Array
    axis: Array
    lower: float
    upper: float
    effort: float
    velocity: float
    mimic: Mimic | None = None

    @property
    def movable(self) -> bool:
        """Whether it has a coordinate, its own or a mimicked one."""
        return self.type != 'fixed'


@dataclass(frozen=True)
class Urdf:
    """A robot: a tree of links.

    Links and joints stand in the order of the file.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]

    @property
    def root(self) -> str:
        """Name of the link that no joint carries."""
        children = {joint.child for joint in self.joints}
        return next(link.name for link in self.links if link.name not in children)

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return sum(link.mass for link in self.links)

    def link(self, name: str) -> Link:
        """The link of this name.

        Raises:
            UnknownNameError: no link goes by it.
        """
        return _named(self.links, 'link', name)

    def joint(self, name: str) -> Joint:
        """The joint of this name.

        Raises:
            UnknownNameError: no joint goes by it.
        """
        return _named(self.joints, 'joint', name)

    def path(self, base_link: str, tip_link: str) -> tuple[Joint, ...]:
        """The joints from a link out to one of its descendants.

        Raises:
            UnknownNameError: one of the links does not exist.
            SoftshellError: the tip does not descend from the base.
        """
        self.link(base_link)
        self.link(tip_link)
        carriers = {joint.child: joint for joint in self.joints}
        path: list[Joint] = []
        link = tip_link
        while link != base_link:
            if link not in carriers:
                raise SoftshellError(f'link {tip_link!r} does not descend from {base_link!r}')
            path.append(carriers[link])
            link = carriers[link].parent
        return tuple(reversed(path))


def parse_urdf(text: str) -> Urdf:
    """Read a URDF.

    Args:
        text: the XML (xacro already expanded).

    Raises:
        SoftshellError: the text is not the XML of a robot.
        ProblemsError: everything that is wrong with its links and joints.
    """
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise SoftshellError(f'URDF is not XML: {error}') from error
    if robot.tag != 'robot':
        raise SoftshellError(f'URDF starts with <{robot.tag}>; expected <robot>')
    problems: list[str] = []
    links = [_read(_link, element, problems) for element in robot.findall('link')]
    joints = [_read(_joint, element, problems) for element in robot.findall('joint')]
    urdf = Urdf(
        robot.get('name', ''),
        tuple(link for link in links if link is not None),
        tuple(joint for joint in joints if joint is not None),
    )
    problems += _structure_problems(urdf)
    if problems:
        raise ProblemsError(f'URDF {urdf.name!r}', problems)
    return urdf


def rotation(rpy: Array) -> Array:
    """Rotation matrix (3, 3) of URDF's fixed-axis roll, pitch, yaw (3,) [rad]."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _named(items, kind, name):
    for item in items:
        if item.name == name:
            return item
    raise UnknownNameError(kind, name, [item.name for item in items])


def _read(reader, element, problems):
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
    origin = _origin(inertial.find('origin'))
    mass = _number(_child(inertial, 'mass'), 'value')
    values = _child(inertial, 'inertia')
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
    axis = _vector(element.find('axis'), 'xyz', (1.0, 0.0, 0.0))
    length = float(np.linalg.norm(axis))
    if kind != 'fixed' and length < 1e-9:
        raise SoftshellError('axis has no direction')
    limit = element.find('limit')
    if limit is None and kind in ('revolute', 'prismatic'):
        raise SoftshellError(f'a {kind} joint needs <limit>')
    lower, upper = _range(limit, kind)
    return Joint(
        name=_required(element, 'name'),
        type=kind,
        parent=_required(_child(element, 'parent'), 'link'),
        child=_required(_child(element, 'child'), 'link'),
        origin=_origin(element.find('origin')),
        axis=axis / length if length > 0.0 else axis,
        lower=lower,
        upper=upper,
        effort=np.inf if limit is None else _number(limit, 'effort'),
        velocity=np.inf if limit is None else _number(limit, 'velocity'),
        mimic=_mimic(element.find('mimic')),
    )


def _range(limit: ElementTree.Element | None, kind: str) -> tuple[float, float]:
    if limit is None or kind in ('continuous', 'fixed'):
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
    """What keeps links and joints from being one tree with mimics that lead somewhere."""
    problems = []
    for kind, items in (('link', urdf.links), ('joint', urdf.joints)):
        names = [item.name for item in items]
        for name in sorted({name for name in names if names.count(name) > 1}):
            problems.append(f'{kind} {name!r} occurs {names.count(name)} times')
    links = {link.name for link in urdf.links}
    joints = {joint.name: joint for joint in urdf.joints}
    children = [joint.child for joint in urdf.joints]
    for joint in urdf.joints:
        for role, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in links:
                problems.append(f'joint {joint.name!r}: {role} link {link!r} does not exist')
        if joint.mimic is None:
            continue
        source = joints.get(joint.mimic.joint)
        if source is None:
            problems.append(f'joint {joint.name!r}: mimics unknown {joint.mimic.joint!r}')
        elif source.mimic is not None or not source.movable:
            problems.append(f'joint {joint.name!r}: mimics {source.name!r}, which cannot lead')
    for link in sorted({child for child in children if children.count(child) > 1}):
        problems.append(f'link {link!r} is the child of {children.count(link)} joints')
    roots = [link.name for link in urdf.links if link.name not in children]
    if len(roots) != 1:
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
    text = element.get(key)
    if text is None and default is not None:
        return default
    try:
        value = float(text if text is not None else '')
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise SoftshellError(f'<{element.tag}> {key} is {text!r}; expected a finite number')
    return value


def _vector(element: ElementTree.Element | None, key: str, default: tuple) -> Array:
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


def _origin(element: ElementTree.Element | None) -> Array:
    origin = np.eye(4)
    origin[:3, :3] = rotation(_vector(element, 'rpy', (0.0, 0.0, 0.0)))
    origin[:3, 3] = _vector(element, 'xyz', (0.0, 0.0, 0.0))
    return origin
