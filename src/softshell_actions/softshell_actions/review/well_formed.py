"""What of an action is well formed in a file that is not: it is reviewed all the same."""

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
    """An action, or what of it is well formed.

    Args:
        action: without what is not.
        places: where each of its sub-actions stands in the file.
        unclear: names of numbers of which it is not known what they are.
    """

    action: Action
    places: tuple[int, ...]
    unclear: frozenset[str] = frozenset()


class _Some(Action):
    """An action that may lack what every other has."""

    name: str = ''
    description: str = ''
    sub_actions: list[Part] = Field(default_factory=list)


def whole(action: Action) -> WellFormed:
    """An action of which all is well formed."""
    return WellFormed(action, tuple(range(len(action.sub_actions))))


def well_formed(data: Any) -> WellFormed | None:
    """What of a file is well formed.

    Args:
        data: of the file.

    Returns:
        None if nothing is, or if it cannot be told what names of numbers there are.
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
    # Keys of sections of another name too: a misspelt one may be that of the parameters.
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
