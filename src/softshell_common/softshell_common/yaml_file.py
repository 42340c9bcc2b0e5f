"""YAML files read into pydantic models, all problems listed at once with their lines."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from softshell_common.errors import ProblemsError


class StrictModel(BaseModel):
    """A model that refuses unknown keys and never changes."""

    model_config = ConfigDict(extra='forbid', frozen=True)


Model = TypeVar('Model', bound=BaseModel)


class YamlFile:
    """A YAML document that knows the line of each of its values.

    Args:
        path: the file.

    Raises:
        ProblemsError: the file cannot be read or is no YAML.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = path.read_text(encoding='utf-8')
            self._root = yaml.compose(text, Loader=yaml.SafeLoader)
            self.data = yaml.safe_load(text)
        except OSError as error:
            raise ProblemsError(str(path), [f'cannot be read: {error.strerror}']) from None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise ProblemsError(str(path), [' '.join(str(error).split())]) from None

    def line(self, location: Sequence[int | str]) -> int:
        """Line of a value, from 1; of its nearest container if the value itself is absent."""
        node = self._root
        for step in location:
            node = _child(node, step) or node
        return node.start_mark.line + 1 if node is not None else 1

    def problem(self, location: Sequence[int | str], text: str) -> str:
        """One line that says where and what."""
        name = '.'.join(str(step) for step in location)
        return f'line {self.line(location)}: {name + ": " if name else ""}{text}'

    def validate(self, model: type[Model]) -> Model:
        """The document as a model.

        Raises:
            ProblemsError: every key and value that does not fit, with its line.
        """
        try:
            return model.model_validate(self.data)
        except ValidationError as error:
            raise ProblemsError(
                str(self.path), [self._describe(dict(entry)) for entry in error.errors()]
            ) from None

    def _describe(self, entry: dict) -> str:
        value = entry['input']
        shown = '' if isinstance(value, dict | list) else f' (got {value!r})'
        return self.problem(entry['loc'], entry['msg'] + shown)


def _child(node: yaml.Node | None, step: int | str) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(step)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step]
    return None
