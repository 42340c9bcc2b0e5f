"""Plain data, such as a dictionary from JSON or a program, as a model."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from softshell_common.wording import Keys, reworded
from softshell_kinematics.errors import ProblemsError

Model = TypeVar('Model', bound=BaseModel)


def from_data(model: type[Model], data: Any, name: str = '') -> Model:
    """Plain data as a model.

    Args:
        model: the model.
        data: mappings, lists, texts and numbers.
        name: name of the data in the error; default: that of the model without `Form`, in lower
            case.

    Raises:
        ProblemsError: the data does not fit; names each entry, its value and what was expected.
    """
    fitting, problems = checked(model, data)
    if fitting is None:
        raise ProblemsError(name or model.__name__.removesuffix('Form').lower(), problems)
    return fitting


def checked(model: type[Model], data: Any) -> tuple[Model | None, list[str]]:
    """Plain data as a model, or None and all problems with the names of their entries."""
    keys = Keys()
    try:
        return model.model_validate(data, context=keys), []
    except ValidationError as error:
        return None, [
            f'{".".join(map(str, place))}: {text}' if place else text
            for place, text in reworded(error.errors(), data, keys)
        ]
