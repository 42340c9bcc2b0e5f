"""Manipulator files of SoMo, read as manipulators of this package.

SoMo's worlds are scaled, in its examples by 20; `WorldScale(20.0)` converts them to SI. Messages
have the numbers of the file. Inertias are those of the shapes, as in SoMo, which writes the
`inertial_values` of links into its URDF but loads it so that PyBullet does not use them.

Two things are corrected. SoMo gives the half links at the ends of each actuator the mass of a
whole one: here they have half of it. And its `joint_control_limit_force`, the limit of a motor
that brakes a joint, is dry friction here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from softshell_common.wording import Keys, Location, reworded
from softshell_common.yaml_file import YamlFile
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.scaling import WorldScale
from softshell_kinematics.errors import ProblemsError, UnknownNameError

#: Scale of a world in SI.
AS_WRITTEN = WorldScale(1.0)
#: Entries of each kind of definition: those that are required, and those that may be left out.
MANIPULATOR = (
    ('manipulator_name', 'n_act', 'actuator_definitions'),
    ('base_definition', 'tip_definition', 'tip_definitions', 'urdf_filename'),
)
ACTUATOR = (
    ('actuator_length', 'n_segments', 'link_definition', 'joint_definitions', 'planar_flag'),
    (),
)
LINK = (
    ('shape_type', 'dimensions', 'mass', 'inertial_values', 'material_color', 'material_name'),
    ('origin_offset', 'visual_geometry_scaling_factor'),
)
JOINT = (
    ('joint_type', 'axis', 'limits', 'spring_stiffness'),
    ('joint_neutral_position', 'neutral_axis_offset', 'joint_control_limit_force'),
)
#: Arrangements of joints by SoMo's `planar_flag`.
ARRANGEMENTS = {0: 'alternating', 1: 'alternating', 2: 'listed'}
#: Entries of SoMo, or places in its lists, by the names of those of `ManipulatorForm`.
NAMES: dict[int | str, int | str] = {
    'actuators': 'actuator_definitions', 'base': 'base_definition', 'tips': 'tip_definitions',
    'length': 'actuator_length', 'link': 'link_definition', 'joints': 'joint_definitions',
    'arrangement': 'planar_flag', 'shape': 'shape_type', 'colour': 'material_color',
    'offset': 'origin_offset', 'kind': 'joint_type', 'stiffness': 'spring_stiffness',
    'friction': 'joint_control_limit_force', 'neutral': 'joint_neutral_position',
    'neutral_axis': 'neutral_axis_offset', 'lower': 0, 'upper': 1, 'effort': 2, 'velocity': 3,
}  # fmt: skip


def from_somo(path: Path | str, scale: WorldScale = AS_WRITTEN) -> ManipulatorForm:
    """A manipulator from a YAML or JSON file of SoMo.

    Definitions of parts may be in further files; their names are relative to its folder.

    Args:
        path: of the file.
        scale: of its world.

    Raises:
        ProblemsError: the file cannot be read, or does not fit.
    """
    return scale.form_to_si(_Reader(Path(path)).form())


class _Reader:
    """Turns entries of SoMo into those of `ManipulatorForm`.

    Args:
        path: of the file.

    Raises:
        ProblemsError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        #: Files, by the places of the definitions in them.
        self._files: dict[Location, YamlFile] = {(): YamlFile(path)}

    def form(self) -> ManipulatorForm:
        """The manipulator in the units of the file.

        Raises:
            ProblemsError: a further file cannot be read, or an entry does not fit.
        """
        given = self._checked((), self._files[()].data, 'manipulator', *MANIPULATOR)
        data, keys = self._manipulator(given), Keys()
        try:
            return ManipulatorForm.model_validate(data, context=keys)
        except ValidationError as error:
            wrong = [*reworded(error.errors(), data, keys)]
        problems = [self._said(_in_file(place, given.data), text) for place, text in wrong]
        raise ProblemsError(str(self._path), problems)

    def unfit(self, place: Location, text: str) -> ProblemsError:
        """The error that an entry does not fit, by its keys and indices from the whole's top."""
        return ProblemsError(str(self._path), [self._said(place, text)])

    def _said(self, place: Location, text: str) -> str:
        """One line that says where an entry is and what is wrong; a further file comes first."""
        cut = max(len(known) for known in self._files if place[: len(known)] == known)
        file = self._files[place[:cut]]
        line = file.problem(place[cut:], text)
        return f'{file.path}: {line}' if cut else line

    def _manipulator(self, given: '_Entries') -> dict[str, Any]:
        """Plain data of a `ManipulatorForm`."""
        actuators = given.sequence('actuator_definitions')
        if len(actuators) != given.data['n_act']:
            raise given.unfit(
                'n_act',
                f'n_act is {given.data["n_act"]}; expected {len(actuators)}, as are defined',
            )
        tips = []
        if given.data.get('tip_definition'):
            tips = [self._link(given.place_of('tip_definition'), given.data['tip_definition'])]
            if given.data.get('tip_definitions') is not None:
                raise given.unfit(
                    'tip_definitions', 'is given beside tip_definition; expected one of both'
                )
        elif given.data.get('tip_definitions'):
            tips = [self._link(*each) for each in given.items('tip_definitions')]
        result = {
            'name': given.data['manipulator_name'],
            'actuators': [self._actuator(*each) for each in given.items('actuator_definitions')],
            'tips': tips,
        }
        if given.data.get('base_definition'):
            base = given.data['base_definition']
            result['base'] = self._link(given.place_of('base_definition'), base)
        return result

    def _actuator(self, place: Location, data: Any) -> dict[str, Any]:
        given = self._checked(place, data, 'actuator', *ACTUATOR)
        flag, segments = given.data['planar_flag'], given.number('n_segments')
        if not isinstance(flag, int) or flag not in ARRANGEMENTS:
            raise given.unfit(
                'planar_flag', f'planar_flag is {flag!r}; expected 0, 1 or 2, or false or true'
            )
        joints = [self._joint(*each) for each in given.items('joint_definitions')]
        if flag == 2 and segments < 2:
            raise given.unfit(
                'n_segments', f'n_segments is {segments}; expected 2 or more, as planar_flag is 2'
            )
        spans: dict[int, tuple[float, float]] = {0: (2, 3), 1: (1, 1), 2: (segments, segments)}
        least, most = spans[int(flag)]
        if not least <= len(joints) <= most:
            wanted = f'{least:g}' if least == most else f'{least:g} or {most:g}'
            raise given.unfit(
                'joint_definitions',
                f'{len(joints)} joint_definitions; expected {wanted}, as planar_flag is {flag!r}',
            )
        axes = [joint['axis'] for joint in joints]
        if flag == 2 and axes != axes[:1] * len(axes):
            raise given.unfit(
                'joint_definitions', f'axes are {axes}; expected equal ones, as planar_flag is 2'
            )
        return {
            'length': given.number('actuator_length'),
            'n_segments': segments,
            'link': self._link(given.place_of('link_definition'), given.data['link_definition']),
            'joints': joints,
            'arrangement': ARRANGEMENTS[int(flag)],
        }

    def _link(self, place: Location, data: Any) -> dict[str, Any]:
        given = self._checked(place, data, 'link', *LINK)
        given.numbers('inertial_values', 6)
        offset: Sequence[float] = [0.0] * 6
        if given.data.get('origin_offset'):
            offset = given.numbers('origin_offset', 6)
        return {
            'shape': given.data['shape_type'],
            'dimensions': given.numbers('dimensions'),
            'mass': given.number('mass'),
            'material': {
                'name': given.data['material_name'],
                'colour': given.numbers('material_color', 4),
            },
            'offset': offset,
        }

    def _joint(self, place: Location, data: Any) -> dict[str, Any]:
        given = self._checked(place, data, 'joint', *JOINT)
        result: dict[str, Any] = {
            'kind': given.data['joint_type'],
            'axis': given.numbers('axis', 3) if given.data['axis'] else [1.0, 0.0, 0.0],
            'stiffness': given.number('spring_stiffness'),
            'friction': given.number('joint_control_limit_force'),
            'neutral': given.number('joint_neutral_position'),
        }
        if given.data.get('neutral_axis_offset'):
            result['neutral_axis'] = given.numbers('neutral_axis_offset')[:3]
        if given.data['limits']:
            lower, upper, effort, velocity = given.numbers('limits', 4)
            result['limits'] = {
                'lower': lower, 'upper': upper, 'effort': effort, 'velocity': velocity,
            }  # fmt: skip
        return result

    def _checked(
        self,
        place: Location,
        data: Any,
        kind: str,
        required: tuple[str, ...],
        optional: tuple[str, ...],
    ) -> '_Entries':
        """Entries of a definition, which may be in a file of its own.

        Args:
            place: of the definition.
            data: the entries, or the name of the file.
            kind: of the definition, for messages.
            required, optional: names of the entries.

        Raises:
            ProblemsError: the file cannot be read, it is no definition, or an entry is missing or
                unknown.
        """
        if isinstance(data, str):
            try:
                file = YamlFile(self._path.parent / data)
            except ProblemsError as error:
                raise self.unfit(place, f'{error.subject}: {error.problems[0]}') from None
            self._files[place], data = file, file.data
        if not isinstance(data, dict):
            raise self.unfit(
                place, f'{kind} is {data!r}; expected its entries, or the name of a file'
            )
        for name in data:
            if name not in required + optional:
                unknown = UnknownNameError(f'entry of a {kind}', str(name), required + optional)
                raise self.unfit((*place, str(name)), str(unknown))
        missing = [name for name in required if name not in data]
        if missing:
            text = f'{kind} is without {", ".join(missing)}, which it needs'
            raise self.unfit(place, text)
        return _Entries(self, place, kind, data)


@dataclass(frozen=True)
class _Entries:
    """Entries of a definition.

    Attributes:
        reader: of the file.
        place: of the definition.
        kind: of the definition, for messages.
        data: the entries.
    """

    reader: _Reader
    place: Location
    kind: str
    data: Mapping[str, Any]

    def place_of(self, name: str) -> Location:
        """Where an entry is."""
        return (*self.place, name)

    def unfit(self, name: str, text: str) -> ProblemsError:
        """An error about an entry."""
        return self.reader.unfit(self.place_of(name), text)

    def number(self, name: str) -> float:
        """A number; one of a joint that is left empty is 0.

        Raises:
            ProblemsError: it is not a number.
        """
        value = self.data.get(name)
        if value is None and self.kind == 'joint':
            return 0.0
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.unfit(name, f'{name} of a {self.kind} is {value!r}; expected a number')
        return value

    def sequence(self, name: str) -> Sequence[Any]:
        """A list.

        Raises:
            ProblemsError: it is not a list.
        """
        value = self.data[name]
        if not isinstance(value, list | tuple):
            raise self.unfit(name, f'{name} of a {self.kind} is {value!r}; expected a list')
        return value

    def items(self, name: str) -> Iterator[tuple[Location, Any]]:
        """Place and value of each entry of a list.

        Raises:
            ProblemsError: it is not a list.
        """
        for number, value in enumerate(self.sequence(name)):
            yield (*self.place_of(name), number), value

    def numbers(self, name: str, count: int = 0) -> Sequence[float]:
        """Numbers.

        Args:
            name: of the entry.
            count: how many numbers are expected; 0: any.

        Raises:
            ProblemsError: they are not numbers, or not so many.
        """
        values = [*self.sequence(name)]
        real = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
        if not real or (count and len(values) != count):
            wanted = f'{count} numbers' if count else 'numbers'
            raise self.unfit(name, f'{name} of a {self.kind} is {values!r}; expected {wanted}')
        return [float(one) for one in values]


def _in_file(place: Location, given: Mapping[str, Any]) -> Location:
    """Where an entry of `ManipulatorForm` is in the file of a manipulator with entries `given`."""
    if place[:1] == ('tips',) and given.get('tip_definition'):
        place = ('tip_definition', *place[2:])
    owner = 'material' if 'material' in place else 'manipulator'
    names = {**NAMES, 'name': f'{owner}_name'}
    return tuple(names.get(step, step) for step in place if step != 'material')
