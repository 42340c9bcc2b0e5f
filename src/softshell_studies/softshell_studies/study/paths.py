"""Access to parameters in nested dictionaries by paths such as `gait.period`."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from pydantic import BaseModel

from softshell_kinematics.errors import UnknownNameError


def with_values(base: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of nested parameters in which some values are set.

    Args:
        base: nested parameters; they are not changed.
        values: new values, by path, which are copied too; missing dictionaries on the path are
            created.
    """
    changed = deepcopy(dict(base))
    for path, value in values.items():
        *way, last = path.split('.')
        place = changed
        for step in way:
            inner = place.setdefault(step, {})
            if not isinstance(inner, dict):
                inner = place[step] = {}
            place = inner
        place[last] = deepcopy(value)
    return changed


def value_at(parameters: Mapping[str, Any], path: str) -> Any:
    """The value at a path.

    Raises:
        KeyError: there is no value at this path.
    """
    value: Any = parameters
    for step in path.split('.'):
        if not isinstance(value, Mapping):
            raise KeyError(path)
        value = value[step]
    return value


def paths_of(form: type[BaseModel], before: str = '') -> Iterator[str]:
    """Paths of all single values of a form.

    Args:
        form: a pydantic model, which may have further ones as fields.
        before: is put before each path.
    """
    for name, field in form.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from paths_of(kind, f'{before}{name}.')
        else:
            yield f'{before}{name}'


def check_path(form: type[BaseModel], path: str) -> None:
    """Check that a form has a single value at a path.

    Raises:
        UnknownNameError: it has none; the message lists the valid paths, or the most similar.
    """
    known = list(paths_of(form))
    if path not in known:
        raise UnknownNameError('parameter', path, known)
