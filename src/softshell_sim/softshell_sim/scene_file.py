"""Scene files: bodies and terrain that a world begins with, in YAML.

Each body has a name, one shape, and what is said of it:

    bodies:
      hill: {ramp: {slope: 0.2, length: 2.0, width: 1.0}, position: [1.0, 0.0, 0.0]}
      cube: {box: {size: [0.1, 0.1, 0.1]}, mass: 0.3, position: [0.5, 0.0, 0.05], friction: 0.8}
    surfaces:
      - {between: [cube, hill], friction: 0.2}
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, StrictBool, ValidationError, model_validator

from softshell_common.wording import Keys, reworded
from softshell_common.yaml_file import StrictModel, YamlFile, duplicate_keys
from softshell_description.expand import resolve_meshes
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_kinematics.transforms import rotation_from_angles, transform
from softshell_kinematics.urdf_reader import parse_urdf
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.changes import SetSurface, Spawn
from softshell_sim.flatten import flatten
from softshell_sim.number_checks import THICKEST
from softshell_sim.shapes import Box, Capsule, Cylinder, Plane, Shape, Sphere
from softshell_sim.terrain import height_field, ramp, rubble, stairs

#: Names of the bodies that every world has.
OWN_BODIES = ('floor', 'robot')

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Pair = tuple[Number, Number]
Triple = tuple[Number, Number, Number]


class BoxForm(StrictModel):
    """A box.

    Attributes:
        size: its lengths along x, y, z [m].
    """

    size: Triple


class SphereForm(StrictModel):
    """A ball.

    Attributes:
        radius: [m].
    """

    radius: Number


class RoundForm(StrictModel):
    """A cylinder or capsule along z.

    Attributes:
        radius: [m].
        length: of the cylinder [m]; a capsule's caps come to it.
    """

    radius: Number
    length: Number


class PlaneForm(StrictModel):
    """A plane."""


class RampForm(StrictModel):
    """A slope.

    Attributes:
        slope: its angle [rad].
        length: along it [m].
        width: across it [m].
    """

    slope: Number
    length: Number
    width: Number


class StairsForm(StrictModel):
    """Stairs.

    Attributes:
        steps: how many.
        rise: how much higher each is than the one before [m].
        run: how far each goes ahead [m].
        width: [m].
    """

    steps: int
    rise: Number
    run: Number
    width: Number


class HeightsForm(StrictModel):
    """Ground of the heights in a file.

    Attributes:
        file: a picture, black at 0, seen from above with x to the right; or a table of heights
            (`.npy`, `.csv`, `.txt`), whose rows go along y. Relative to the scene.
        size: along x and y [m].
        height: of white [m], or what the numbers of a table are multiplied by.
    """

    file: str
    size: Pair
    height: Number = 1.0


class RubbleForm(StrictModel):
    """Ground strewn with blocks.

    Attributes:
        size: of all of it along x and y [m].
        height: of the highest block [m]; each has one between 0 and that.
        block: length of the sides of the largest blocks [m]; the smallest have half of it.
        seed: the same blocks for the same seed.
    """

    size: Pair
    height: Number
    block: Number
    seed: int = 0


class UrdfForm(StrictModel):
    """A body of links and joints that no motor moves.

    Attributes:
        file: the URDF, relative to the scene.
        fixed: whether its root stands still in the world.
    """

    file: str
    fixed: bool = False


class SurfaceForm(StrictModel):
    """A surface.

    Attributes:
        friction: coefficient of sliding friction.
        restitution: part of the normal speed that is left after an impact with what is rigid.
        stiffness: of each point of contact, as of a spring [N/m]; without it rigid.
        damping: of each point of contact [N s/m]; given exactly with the stiffness.
    """

    friction: Annotated[Number, Field(ge=0)] = Surface.friction
    restitution: Annotated[Number, Field(ge=0, le=1)] = Surface.restitution
    stiffness: Annotated[Number, Field(gt=0)] | None = None
    damping: Annotated[Number, Field(ge=0)] | None = None

    @property
    def surface(self) -> Surface:
        """The surface itself.

        Raises:
            SoftshellError: it is none.
        """
        return Surface(self.friction, self.restitution, self.stiffness, self.damping)


class PairForm(SurfaceForm):
    """The surface between two bodies, or between the links of one that is named twice.

    Attributes:
        between: names of the two; `floor` and `robot` are there in every world.
    """

    between: tuple[str, str]


class BodyForm(SurfaceForm):
    """A body: one shape, and what is said of it.

    Attributes:
        box, sphere, cylinder, capsule, plane, ramp, stairs, height_field, rubble, urdf: its shape,
            exactly one of these.
        mass: [kg]; 0: it stands still.
        position: of its origin in odom [m].
        rotation: roll, pitch and yaw [rad].
        padding: thickness of the layer round it at which contact begins [m].
        preshrink: shrink the shape by the padding first, so that the layer ends where it ended.
    """

    box: BoxForm | None = None
    sphere: SphereForm | None = None
    cylinder: RoundForm | None = None
    capsule: RoundForm | None = None
    plane: PlaneForm | None = None
    ramp: RampForm | None = None
    stairs: StairsForm | None = None
    height_field: HeightsForm | None = None
    rubble: RubbleForm | None = None
    urdf: UrdfForm | None = None
    mass: Number = 0.0
    position: Triple = (0.0, 0.0, 0.0)
    rotation: Triple = (0.0, 0.0, 0.0)
    padding: Annotated[Number, Field(ge=0, le=THICKEST)] = 0.0
    preshrink: StrictBool = False

    @model_validator(mode='after')
    def _has_one_shape(self) -> 'BodyForm':
        found = [name for name in SHAPES if getattr(self, name) is not None]
        if len(found) != 1:
            words = f'has {", ".join(found)}' if found else 'has no shape'
            raise ValueError(f'{words}; expected one of {", ".join(SHAPES)}')
        return self


#: How a shape is made from its form, and the folder that its file is in.
SHAPES: dict[str, Callable[[Any, Path], Shape | None]] = {
    'box': lambda form, folder: Box(form.size),
    'sphere': lambda form, folder: Sphere(form.radius),
    'cylinder': lambda form, folder: Cylinder(form.radius, form.length),
    'capsule': lambda form, folder: Capsule(form.radius, form.length),
    'plane': lambda form, folder: Plane(),
    'ramp': lambda form, folder: ramp(form.slope, form.length, form.width),
    'stairs': lambda form, folder: stairs(form.steps, form.rise, form.run, form.width),
    'height_field': lambda form, folder: height_field(
        folder / Path(form.file).expanduser(), form.size, form.height
    ),
    'rubble': lambda form, folder: rubble(form.size, form.height, form.block, form.seed),
    'urdf': lambda form, folder: None,
}


class SceneForm(StrictModel):
    """A scene file.

    Attributes:
        bodies: by name.
        surfaces: between pairs of them that differ from what their own surfaces make.
    """

    bodies: dict[str, BodyForm]
    surfaces: list[PairForm] = Field(default_factory=list)


def read_scene(path: str | Path) -> tuple[Spawn | SetSurface, ...]:
    """The bodies of a scene file, then the surfaces between them.

    Raises:
        ProblemsError: everything that is wrong with it, with lines.
    """
    file = YamlFile(Path(path).expanduser())
    form = file.validate(SceneForm)
    changes: list[Spawn | SetSurface] = []
    problems = []
    for name, body in form.bodies.items():
        try:
            changes.append(_spawn(name, body, file.path.parent))
        except SoftshellError as error:
            problems.append(file.problem(('bodies', name), str(error)))
    known = {*OWN_BODIES, *form.bodies}
    for index, pair in enumerate(form.surfaces):
        place = 'surfaces', index
        problems += [
            file.problem(place, str(UnknownNameError('body', name, known)))
            for name in pair.between
            if name not in known
        ]
        try:
            changes.append(SetSurface(pair.between[0], pair.surface, pair.between[1]))
        except SoftshellError as error:
            problems.append(file.problem(place, str(error)))
    if problems:
        raise ProblemsError(str(file.path), problems)
    return tuple(changes)


def read_body(name: str, description: str, state: BodyState | None = None) -> Spawn:
    """A body from what a scene file would say of it.

    Args:
        name: of the body.
        description: YAML, e.g. `{sphere: {radius: 0.1}, mass: 0.2}`.
        state: where it comes, which the description then leaves out; None: where that says.

    Raises:
        ProblemsError: everything that is wrong with the description.
    """
    what = f'description of {name!r}'
    try:
        twice = list(duplicate_keys(yaml.compose(description, Loader=yaml.SafeLoader)))
        data = yaml.safe_load(description)
    except RecursionError:
        raise ProblemsError(what, ['is nested too deeply']) from None
    except (yaml.YAMLError, ValueError) as error:  # a date that there is not is a ValueError
        text = ' '.join(str(error).split())
        raise ProblemsError(what, [f'is not YAML: {text}']) from None
    keys = Keys()
    try:
        form = BodyForm.model_validate(data, context=keys)
    except ValidationError as error:
        problems = [
            f'{".".join(map(str, place))}: {text}' if place else text
            for place, text in reworded(error.errors(), data, keys)
        ]
        raise ProblemsError(what, twice + problems) from None
    if twice:
        raise ProblemsError(what, twice)
    given = [key for key in ('position', 'rotation') if key in form.model_fields_set]
    if state is not None and given:
        pose = 'the pose beside the description says where it comes'
        raise ProblemsError(what, [f'{key}: {pose}' for key in given])
    return _spawn(name, form, Path.cwd(), state)


def _spawn(name: str, form: BodyForm, folder: Path, state: BodyState | None = None) -> Spawn:
    roll, pitch, yaw = form.rotation
    pose = transform(rotation_from_angles((yaw, pitch, roll)), form.position)
    surface = form.surface
    layer = form.padding, form.preshrink
    if form.urdf is not None:
        spec = _robot_spec(name, form.urdf, folder, surface, layer)
        return Spawn(spec, state or BodyState.at_rest(pose))
    kind = next(kind for kind in SHAPES if getattr(form, kind) is not None)
    shape = SHAPES[kind](getattr(form, kind), folder)
    assert shape is not None
    return Spawn(ObjectSpec(name, shape, form.mass, pose, surface, *layer), state)


def _robot_spec(
    name: str, form: UrdfForm, folder: Path, surface: Surface, layer: tuple[float, bool]
) -> RobotSpec:
    path = folder / Path(form.file).expanduser()
    try:
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise SoftshellError(f'urdf {str(path)!r} cannot be read: {error}') from None
    flat = flatten(text, visuals=True).text
    joints = tuple(joint.name for joint in parse_urdf(flat).joints)
    urdf = resolve_meshes(flat, path.parent)
    return RobotSpec(name, urdf, joints, form.fixed, False, surface, *layer)
