"""Manipulator files of SoMo, read as manipulators of this package.

SoMo's worlds are scaled, in its examples by 20; `WorldScale(20.0)` converts them to SI. Messages
have the numbers of the file.

Two things are corrected. SoMo gives the half links at the ends of each actuator the mass of a
whole one: here they have half of it. And its `joint_control_limit_force`, the limit of a motor
that brakes a joint, is dry friction here.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from softshell_common.plain_data import from_data
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


def from_somo(path: Path | str, scale: WorldScale = AS_WRITTEN) -> ManipulatorForm:
    """A manipulator from a YAML or JSON file of SoMo.

    Definitions of parts may be in further files; their names are relative to its folder.

    Args:
        path: of the file.
        scale: of its world.

    Raises:
        ProblemsError: the file cannot be read, or does not fit.
    """
    reader = _Reader(Path(path))
    data = YamlFile(Path(path)).data
    try:
        converted = reader.manipulator(data)
    except (ValueError, UnknownNameError) as error:
        raise ProblemsError(str(path), [str(error)]) from None
    try:
        return scale.form_to_si(from_data(ManipulatorForm, converted))
    except ProblemsError as error:
        raise ProblemsError(str(path), error.problems) from None


class _Reader:
    """Turns entries of SoMo into those of `ManipulatorForm`.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def manipulator(self, data: Any) -> dict[str, Any]:
        """Plain data of a `ManipulatorForm`.

        Raises:
            ProblemsError: a further file cannot be read.
            UnknownNameError: an entry is unknown.
            ValueError: an entry does not fit.
        """
        given = self._checked(data, 'manipulator', *MANIPULATOR)
        tips = [given.get('tip_definition')]
        if given.get('tip_definitions'):
            tips = [*_list('manipulator', given, 'tip_definitions')]
        actuators = _list('manipulator', given, 'actuator_definitions')
        if len(actuators) != given['n_act']:
            raise ValueError(
                f'n_act is {given["n_act"]}; expected {len(actuators)}, as are defined'
            )
        result = {
            'name': given['manipulator_name'],
            'actuators': [self._actuator(each) for each in actuators],
            'tips': [self._link(each) for each in tips if each],
        }
        if given.get('base_definition'):
            result['base'] = self._link(given['base_definition'])
        return result

    def _actuator(self, data: Any) -> dict[str, Any]:
        given = self._checked(data, 'actuator', *ACTUATOR)
        flag = _number('actuator', given, 'planar_flag')
        if flag not in ARRANGEMENTS:
            raise ValueError(f'planar_flag is {given["planar_flag"]}; expected 0, 1 or 2')
        return {
            'length': _number('actuator', given, 'actuator_length'),
            'n_segments': _number('actuator', given, 'n_segments'),
            'link': self._link(given['link_definition']),
            'joints': [
                self._joint(each) for each in _list('actuator', given, 'joint_definitions')
            ],
            'arrangement': ARRANGEMENTS[int(flag)],
        }

    def _link(self, data: Any) -> dict[str, Any]:
        given = self._checked(data, 'link', *LINK)
        offset = given.get('origin_offset') or [0.0] * 6
        given = {**given, 'origin_offset': offset}
        return {
            'shape': given['shape_type'],
            'dimensions': _numbers('link', given, 'dimensions'),
            'mass': _number('link', given, 'mass'),
            'inertia': _numbers('link', given, 'inertial_values', 6),
            'material': {
                'name': given['material_name'],
                'colour': _numbers('link', given, 'material_color', 4),
            },
            'offset': _numbers('link', given, 'origin_offset', 6),
        }

    def _joint(self, data: Any) -> dict[str, Any]:
        given = self._checked(data, 'joint', *JOINT)
        result: dict[str, Any] = {
            'kind': given['joint_type'],
            'axis': _numbers('joint', given, 'axis', 3) if given['axis'] else [1.0, 0.0, 0.0],
            'stiffness': _number('joint', given, 'spring_stiffness'),
            'friction': _number('joint', given, 'joint_control_limit_force'),
            'neutral': _number('joint', given, 'joint_neutral_position'),
        }
        if given.get('neutral_axis_offset'):
            result['neutral_axis'] = _numbers('joint', given, 'neutral_axis_offset')[:3]
        if given['limits']:
            lower, upper, effort, velocity = _numbers('joint', given, 'limits', 4)
            result['limits'] = {
                'lower': lower, 'upper': upper, 'effort': effort, 'velocity': velocity,
            }  # fmt: skip
        return result

    def _checked(
        self, data: Any, kind: str, required: tuple[str, ...], optional: tuple[str, ...]
    ) -> Mapping[str, Any]:
        """Entries of a definition, which may be in a file of its own.

        Args:
            data: the entries, or the name of the file.
            kind: of the definition, for messages.
            required, optional: names of the entries.

        Raises:
            ProblemsError: the file cannot be read.
            ValueError: it is no definition, or an entry is missing.
            UnknownNameError: an entry is unknown.
        """
        if isinstance(data, str):
            data = YamlFile(self._path.parent / data).data
        if not isinstance(data, dict):
            raise ValueError(f'{kind} is {data!r}; expected its entries, or the name of a file')
        for name in data:
            if name not in required + optional:
                raise UnknownNameError(f'entry of a {kind}', str(name), required + optional)
        missing = [name for name in required if name not in data]
        if missing:
            raise ValueError(f'{kind} is without {", ".join(missing)}, which it needs')
        return data


def _number(kind: str, entries: Mapping[str, Any], name: str) -> float:
    """A number of a definition; one of a joint that is left empty is 0.

    Raises:
        ValueError: it is not a number.
    """
    value = entries.get(name)
    if value is None and kind == 'joint':
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f'{name} of a {kind} is {value!r}; expected a number')
    return value


def _list(kind: str, entries: Mapping[str, Any], name: str) -> Sequence[Any]:
    """A list of a definition.

    Raises:
        ValueError: it is not a list.
    """
    value = entries[name]
    if not isinstance(value, list | tuple):
        raise ValueError(f'{name} of a {kind} is {value!r}; expected a list')
    return value


def _numbers(kind: str, entries: Mapping[str, Any], name: str, count: int = 0) -> list[float]:
    """Numbers of a definition.

    Args:
        kind: of the definition, for messages.
        entries: of the definition.
        name: of the entry.
        count: how many numbers are expected; 0: any.

    Raises:
        ValueError: they are not numbers, or not so many.
    """
    values = list(_list(kind, entries, name))
    real = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
    if not real or (count and len(values) != count):
        wanted = f'{count} numbers' if count else 'numbers'
        raise ValueError(f'{name} of a {kind} is {values!r}; expected {wanted}')
    return [float(one) for one in values]
