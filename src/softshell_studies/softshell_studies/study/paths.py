"""Access to parameters in nested dictionaries by paths such as `gait.period`."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, TypeGuard

from pydantic import BaseModel


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
        if _is_form(field.annotation):
            yield from paths_of(field.annotation, f'{before}{name}.')
        else:
            yield f'{before}{name}'


def unknown_in(form: type[BaseModel], values: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Steps of the paths to values in nested parameters of which a form has no field."""
    for name, value in values.items():
        field = form.model_fields.get(name)
        if field is None:
            yield (str(name),)
        elif _is_form(field.annotation) and isinstance(value, Mapping):
            yield from ((name, *steps) for steps in unknown_in(field.annotation, value))


def _is_form(kind: Any) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
