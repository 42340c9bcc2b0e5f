"""Whole numbers among the parameters of scenarios, which studies vary."""

from typing import Any

from pydantic import BeforeValidator
from pydantic_core import PydanticKnownError


def _no_text(value: Any) -> Any:
    """A value that may be a whole number.

    Raises:
        PydanticKnownError: it is a text, true or false.
    """
    if isinstance(value, str | bytes | bool):
        raise PydanticKnownError('int_type')
    return value


#: Of an `int`: neither a text of digits nor true is one; 20.0 is, as in the grids of studies.
WHOLE = BeforeValidator(_no_text)
