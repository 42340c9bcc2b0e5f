"""Reads YAML files into pydantic models; lists all problems at once, with their lines."""

from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
from pydantic_core import ErrorDetails

from softshell_common.wording import Keys, location_of, reworded
from softshell_common.yaml_loader import JsonLoader, Loader, loaded
from softshell_kinematics.errors import ProblemsError

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[Number, Field(gt=0)]
NotNegative = Annotated[Number, Field(ge=0)]
#: A whole number; neither a text of digits nor true is one.
Whole = Annotated[int, Field(strict=True)]


class StrictModel(BaseModel):
    """A frozen model that refuses unknown keys."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    @model_validator(mode='before')
    @classmethod
    def _note_keys(cls, data: Any, info: ValidationInfo) -> Any:
        if isinstance(info.context, Keys):
            info.context.note(cls, data)
        return data


Model = TypeVar('Model', bound=BaseModel)


def yaml_files(folder: Path) -> list[Path]:
    """The files *.yaml in a folder, by name; without those that an editor keeps beside them."""
    return sorted(path for path in folder.glob('*.yaml') if path.name[0] != '.')


class YamlFile:
    """A YAML document that knows the line of each of its entries.

    Args:
        path: path of the file; `.json` is read as JSON.

    Attributes:
        path: path of the file, symbolic links resolved: the one that a person edits.
        data: the document as plain lists, dictionaries, texts and numbers.

    Raises:
        ProblemsError: the file cannot be read or is no YAML.
    """

    def __init__(self, path: Path) -> None:
        try:
            self.path = path.resolve()
        except (ValueError, RuntimeError) as error:  # of a NUL in the name, of links in a ring
            problem = f'cannot be read: {error}'
            raise ProblemsError(repr(str(path))[1:-1], [problem]) from None
        try:
            text = path.read_text(encoding='utf-8')
            loader = JsonLoader if path.suffix == '.json' else Loader
            self._root, self.data = loaded(text, loader)
        except OSError as error:
            raise ProblemsError(str(self.path), [f'cannot be read: {error.strerror}']) from None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise ProblemsError(str(self.path), [syntax_problem(error)]) from None
        #: The file of each entry that comes from another one, by the id of its node.
        self._elsewhere: dict[int, Path] = {}
        #: The file of each key that is given twice, and a line about it: merging loses them.
        self._twice = [(self.path, line) for line in duplicate_keys(self._root)]

    def over(self, base: 'YamlFile') -> 'YamlFile':
        """A copy of another document with this one merged into it.

        Mappings are merged key by key; any other value replaces that of the other document.

        Args:
            base: the other document; problems of its entries name its file.
        """
        merged = copy(self)
        merged.data = _merged(base.data, self.data)
        merged._elsewhere = {**base._elsewhere, **self._elsewhere}
        for node in _nodes(base._root):
            merged._elsewhere.setdefault(id(node), base.path)
        merged._root = _merged_nodes(base._root, self._root)
        merged._twice = [*base._twice, *self._twice]
        return merged

    def line(self, location: Sequence[int | str]) -> int:
        """Line of an entry, from 1; of the innermost container that exists if there is none."""
        line, node = 0, self._root
        for step in location:
            line, node = _child(node, step) or (line, node)
        return line + 1

    def where(self, location: Sequence[int | str]) -> str:
        """Line and name of an entry; before them its file, if it comes from another one."""
        name, node, file = _name(location), self._root, None
        for step in location:
            _, node = _child(node, step) or (0, node)
            file = self._elsewhere.get(id(node))
        place = '' if file is None else f'{file}: '
        return f'{place}line {self.line(location)}' + (f': {name}' if name else '')

    def problem(self, location: Sequence[int | str], text: str) -> str:
        """One line that says where a problem is and what it is."""
        return f'{self.where(location)}: {text}'

    def validate(self, model: type[Model]) -> Model:
        """The document as a model.

        Raises:
            ProblemsError: with the line of every key and value that is wrong or given twice.
        """
        fitting, problems = self.fitting(model)
        if problems or fitting is None:
            raise ProblemsError(str(self.path), problems)
        return fitting

    def fitting(self, model: type[Model]) -> tuple[Model | None, list[str]]:
        """The valid part of the document as a model, for further checks, and all problems.

        Entries that are wrong are left out, with those that need them; None if nothing is left.
        """
        problems = [line if path == self.path else f'{path}: {line}' for path, line in self._twice]
        keys = Keys()
        errors = _errors(model, self.data, keys)
        told = reworded(errors, self.data, keys, whole='the file')
        wrong = sorted(told, key=lambda entry: self.line(entry[0]))
        problems += [self.problem(*entry) for entry in wrong]
        return what_fits(model, self.data), problems


def what_fits(model: type[Model], data: Any) -> Model | None:
    """The valid part of plain data as a model; None if nothing is left.

    Entries that are wrong are left out, with those that need them.

    Args:
        model: the model.
        data: lists, dictionaries, texts and numbers.
    """
    errors = _errors(model, data)
    while errors and data is not None:
        data = _without(data, location_of(errors[0], data))
        errors = _errors(model, data)
    return None if errors else model.model_validate(data)


def _merged(base: Any, own: Any) -> Any:
    if not isinstance(base, dict) or not isinstance(own, dict):
        return own
    return {
        **base,
        **{key: _merged(base[key], own[key]) if key in base else own[key] for key in own},
    }


def _merged_nodes(base: yaml.Node | None, own: yaml.Node | None) -> yaml.Node | None:
    if not isinstance(base, yaml.MappingNode) or not isinstance(own, yaml.MappingNode):
        return own
    theirs, ours = ({key.value: (key, value) for key, value in n.value} for n in (base, own))
    entries = {
        name: (key, _merged_nodes(theirs[name][1], value)) if name in theirs else (key, value)
        for name, (key, value) in ours.items()
    }
    merged = [*{**theirs, **entries}.values()]
    return yaml.MappingNode(own.tag, merged, own.start_mark, own.end_mark)


def _nodes(root: yaml.Node | None) -> Iterator[yaml.Node]:
    """A node and all nodes below it, each once."""
    seen, waiting = set(), [root]
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode):
            waiting += [value for _, value in node.value]


def syntax_problem(error: yaml.YAMLError | UnicodeDecodeError) -> str:
    """Why a text is no YAML, with the line of the problem where it is known."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        text = '; '.join(part for part in (error.problem, error.context) if part)
        return f'line {error.problem_mark.line + 1}: is not YAML: {text}'
    return f'is not YAML: {" ".join(str(error).split())}'


def _name(location: Sequence[int | str]) -> str:
    return '.'.join(str(step) for step in location)


def _child(node: yaml.Node | None, step: int | str) -> tuple[int, yaml.Node] | None:
    """Line (from 0) and value of an entry; of a key given twice the last, as the loader does."""
    if isinstance(node, yaml.MappingNode):
        entries = (
            (key.start_mark.line, value)
            for key, value in reversed(node.value)
            if key.value == str(step)
        )
        return next(entries, None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step].start_mark.line, node.value[step]
    return None


def duplicate_keys(root: yaml.Node | None) -> Iterator[str]:
    """One line for each key that is given twice in a document; the loader keeps the last.

    Args:
        root: the document's root, from `yaml.compose`.
    """
    yield from _duplicates(root, (), set())


def _duplicates(node: yaml.Node | None, path: tuple[str, ...], seen: set[int]) -> Iterator[str]:
    """One line for each key that is given twice below a node. `seen`: ids of visited nodes."""
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _duplicates(value, (*path, str(index)), seen)
    elif isinstance(node, yaml.MappingNode):
        names = set()
        for key, value in node.value:
            place = (*path, str(key.value))
            if place in names:
                yield f'line {key.start_mark.line + 1}: {_name(place)}: given twice'
            names.add(place)
            yield from _duplicates(value, place, seen)


def _errors(model: type[BaseModel], data: Any, keys: Keys | None = None) -> list[ErrorDetails]:
    try:
        model.model_validate(data, context=keys)
    except ValidationError as error:
        return error.errors()
    return []


def _without(data: Any, location: Sequence[int | str]) -> Any:
    """Data without an entry; without its container if it is in a list or does not exist."""
    if not location or not isinstance(data, dict) or location[0] not in data:
        return None
    step, inner = location[0], _without(data[location[0]], location[1:])
    if inner is not None:
        return data | {step: inner}
    return {key: value for key, value in data.items() if key != step}
