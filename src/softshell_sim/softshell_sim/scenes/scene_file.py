"""Scene files: bodies and terrain that a world begins with, in YAML.

Each body has a name, one shape, and further properties:

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
from pydantic import Field, StrictBool, model_validator

from softshell_common.plain_data import checked
from softshell_common.yaml_file import (
    NotNegative,
    Number,
    StrictModel,
    Whole,
    YamlFile,
    duplicate_keys,
)
from softshell_common.yaml_loader import loaded
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_kinematics.transforms import rotation_from_angles, transform
from softshell_sim.bodies import BodyState, ObjectSpec, Surface
from softshell_sim.changing.changes import SetSurface, Spawn
from softshell_sim.number_checks import THICKEST
from softshell_sim.scenes.terrain import height_field, ramp, rubble, stairs
from softshell_sim.scenes.urdf_body import urdf_body
from softshell_sim.shapes import Box, Capsule, Cylinder, Plane, Shape, Sphere

#: Names of the bodies that every world has.
OWN_BODIES = ('floor', 'robot')

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
        length: of the cylinder [m]; the half balls at the ends of a capsule come on top.
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
        rise: height of each step [m].
        run: depth of each step, along x [m].
        width: across [m].
    """

    steps: Whole
    rise: Number
    run: Number
    width: Number


class HeightsForm(StrictModel):
    """Ground of the heights in a file.

    Attributes:
        file: a picture, black at 0, seen from above with x to the right; or a table of heights
            (`.npy`, `.csv`, `.txt`), whose rows go along y. Relative to the scene file.
        size: along x and y [m].
        height: of white [m]; numbers of a table are multiplied by it.
    """

    file: str
    size: Pair
    height: Number = 1.0


class RubbleForm(StrictModel):
    """Ground strewn with blocks.

    Attributes:
        size: of all of it along x and y [m].
        height: of the highest block [m]; the others are between 0 and that.
        block: length of the sides of the largest blocks [m]; those of the smallest are half of it.
        seed: of the random blocks; the same seed gives the same blocks.
    """

    size: Pair
    height: Number
    block: Number
    seed: Whole = 0


class UrdfForm(StrictModel):
    """A body of links and joints that no motor moves; damping and dry friction are the URDF's.

    Attributes:
        file: the URDF, relative to the scene file.
        fixed: whether its root link is fixed in the world.
    """

    file: str
    fixed: bool = False


class SurfaceForm(StrictModel):
    """A surface.

    Attributes:
        friction: coefficient of sliding friction.
        restitution: part of the normal speed that is left after an impact of rigid surfaces.
        stiffness: of each point of contact, as of a spring [N/m]; left out: rigid.
        damping: of each point of contact [N s/m]; given if, and only if, the stiffness is.
    """

    friction: NotNegative = Surface.friction
    restitution: Annotated[Number, Field(ge=0, le=1)] = Surface.restitution
    stiffness: Annotated[Number, Field(gt=0)] | None = None
    damping: NotNegative | None = None

    @property
    def surface(self) -> Surface:
        """The surface itself.

        Raises:
            SoftshellError: only one of stiffness and damping is given.
        """
        return Surface(self.friction, self.restitution, self.stiffness, self.damping)


class PairForm(SurfaceForm):
    """The surface between two bodies, or between the links of one that is named twice.

    Attributes:
        between: names of the two; `floor` and `robot` are there in every world.
    """

    between: tuple[str, str]


class BodyForm(SurfaceForm):
    """A body: one shape, and further properties.

    Attributes:
        box, sphere, cylinder, capsule, plane, ramp, stairs, height_field, rubble, urdf: its shape,
            exactly one of these.
        mass: [kg]; 0: it stands still. A URDF has its own masses.
        position: of its origin in odom [m].
        rotation: roll, pitch and yaw [rad].
        padding: thickness of the layer round it at which contact begins [m].
        preshrink: shrink the shape by the padding first, so that the layer has its size.
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
    padding: Annotated[NotNegative, Field(le=THICKEST)] = 0.0
    preshrink: StrictBool = False

    @model_validator(mode='after')
    def _has_one_shape(self) -> 'BodyForm':
        found = [name for name in SHAPES if getattr(self, name) is not None]
        if len(found) != 1:
            given = f'has {", ".join(found)}' if found else 'has no shape'
            raise ValueError(f'{given}; expected one of {", ".join(SHAPES)}')
        if self.urdf is not None and 'mass' in self.model_fields_set:
            raise ValueError('has urdf and mass; expected no mass, as each link in a URDF has one')
        return self


#: What makes a shape from its form and the folder of the scene file; a URDF is no shape.
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
        surfaces: of pairs of them, instead of the blend of their own surfaces.
    """

    bodies: dict[str, BodyForm]
    surfaces: list[PairForm] = Field(default_factory=list)


def read_scene(path: str | Path) -> tuple[Spawn | SetSurface, ...]:
    """The bodies of a scene file, then the surfaces between them.

    Args:
        path: of the file.

    Raises:
        ProblemsError: names everything that is wrong with it, with lines.
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
    """A body from a description, as a scene file has it.

    Args:
        name: of the body.
        description: YAML, e.g. `{sphere: {radius: 0.1}, mass: 0.2}`.
        state: its pose and velocity; the description then has neither position nor rotation.
            None: the description has them.

    Raises:
        ProblemsError: names everything that is wrong with the description.
    """
    what = f'description of {name!r}'
    try:
        root, data = loaded(description)
    except yaml.YAMLError as error:
        text = ' '.join(str(error).split())
        raise ProblemsError(what, [f'is not YAML: {text}']) from None
    form, problems = checked(BodyForm, data)
    twice = list(duplicate_keys(root))
    if form is None or twice:
        raise ProblemsError(what, twice + problems)
    given = [key for key in ('position', 'rotation') if key in form.model_fields_set]
    if state is not None and given:
        pose = 'the pose beside the description says where the body is; expected one of both'
        raise ProblemsError(what, [f'{key}: {pose}' for key in given])
    try:
        return _spawn(name, form, Path.cwd(), state)
    except SoftshellError as error:
        raise ProblemsError(what, [str(error)]) from None


def _spawn(name: str, form: BodyForm, folder: Path, state: BodyState | None = None) -> Spawn:
    """What adds a body; files are relative to the folder, a state comes before the form's pose."""
    roll, pitch, yaw = form.rotation
    pose = transform(rotation_from_angles((yaw, pitch, roll)), form.position)
    surface = form.surface
    layer = form.padding, form.preshrink
    if form.urdf is not None:
        path = folder / Path(form.urdf.file).expanduser()
        spec = urdf_body(name, path, form.urdf.fixed, surface, layer)
        return Spawn(spec, state or BodyState.at_rest(pose))
    kind = next(kind for kind in SHAPES if getattr(form, kind) is not None)
    shape = SHAPES[kind](getattr(form, kind), folder)
    assert shape is not None
    return Spawn(ObjectSpec(name, shape, form.mass, pose, surface, *layer), state)
