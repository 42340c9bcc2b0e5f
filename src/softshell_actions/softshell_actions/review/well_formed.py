"""The well-formed parts of an action file that has mistakes of form; they are still reviewed."""

from dataclasses import dataclass
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from softshell_actions.language.grammar import Action, Part
from softshell_common.yaml_file import what_fits

_PART: TypeAdapter[Part] = TypeAdapter(Part)
#: Sections of a file whose keys are names of numbers.
_NUMBERS = ('parameters', 'variables')


@dataclass(frozen=True)
class WellFormed:
    """An action, or its well-formed parts.

    Args:
        action: with its well-formed parts alone.
        places: index in the file of each of its sub-actions.
        unclear: names of numbers whose values are not known.
    """

    action: Action
    places: tuple[int, ...]
    unclear: frozenset[str] = frozenset()


class _Some(Action):
    """An action that may lack its required entries."""

    name: str = ''
    description: str = ''
    sub_actions: list[Part] = Field(default_factory=list)


def whole(action: Action) -> WellFormed:
    """An action that is well formed throughout."""
    return WellFormed(action, tuple(range(len(action.sub_actions))))


def well_formed(data: Any) -> WellFormed | None:
    """The well-formed parts of a file.

    Args:
        data: of the file.

    Returns:
        None if there are none, or if the names of its numbers cannot be read.
    """
    if not isinstance(data, dict):
        return None
    if not all(isinstance(data.get(key, {}), dict) for key in _NUMBERS):
        return None
    written = data.get('sub_actions')
    parts = written if isinstance(written, list) else []
    places = tuple(place for place, part in enumerate(parts) if _is_part(part))
    action = what_fits(_Some, data | {'sub_actions': [parts[place] for place in places]})
    if action is None:
        return None
    # Keys of unknown sections count as names of numbers: one may be `parameters`, misspelt.
    sections = [
        section
        for key, section in data.items()
        if isinstance(section, dict) and (key in _NUMBERS or key not in Action.model_fields)
    ]
    names = {str(name) for section in sections for name in section}
    unclear = names.difference(action.parameters, action.variables)
    return WellFormed(action, places, frozenset(unclear))


def _is_part(written: object) -> bool:
    try:
        _PART.validate_python(written)
    except ValidationError:
        return False
    return True
