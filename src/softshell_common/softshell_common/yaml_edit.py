"""Changes single values of a YAML file in place; comments, order and layout stay as they are."""

import contextlib
import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from softshell_common.whole_file import write_whole
from softshell_common.yaml_file import YamlFile, syntax_problem
from softshell_kinematics.errors import ProblemsError, SoftshellError


class YamlEdit:
    """Changes of a YAML file, which `write` writes completely or not at all.

    Args:
        path: path of the file; if it is a symbolic link, the file that it points to is changed.

    Attributes:
        path: path of the file, symbolic links resolved.

    Raises:
        ProblemsError: the file cannot be read or is no YAML, also where only libyaml reads it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._file = YamlFile(self.path)
        self._before = self.path.read_bytes()
        self._text = self._before.decode('utf-8')
        self._expected = self._file.data
        try:  # changes are placed by the reader in Python, which refuses some tabs, for example
            yaml.safe_load(self._text)
        except yaml.YAMLError as error:
            raise ProblemsError(str(self.path), [syntax_problem(error)]) from None

    @property
    def text(self) -> str:
        """The new content of the file."""
        return self._text

    @property
    def changed(self) -> bool:
        """Whether the new content differs from the file."""
        return self._text.encode() != self._before

    def set(self, location: Sequence[str], value: str | float | int) -> None:
        """Change a value, or add it to its mapping.

        Args:
            location: keys that lead to the value, from the top of the file.
            value: a text, which is quoted where YAML needs it, or a number.

        Raises:
            ProblemsError: there is no such mapping, or the value cannot be changed without
                changing others, e.g. because it is an alias.
        """
        written = yaml.safe_dump(value, default_flow_style=True, width=float('inf'))
        written = written.removesuffix('\n').removesuffix('\n...')
        start, end, new = self._place(location, written)
        text = self._text[:start] + new + self._text[end:]
        expected = _with(self._expected, location, value)
        try:
            good = yaml.safe_load(text) == expected
        except yaml.YAMLError:
            good = False
        if not good:
            text = f'cannot be changed without changing other values; write {written} by hand'
            raise self._problem(location, text)
        self._text, self._expected = text, expected

    def diff(self) -> str:
        """The changed lines, as `diff -u` shows them."""
        before = self._before.decode('utf-8').splitlines(keepends=True)
        after = self._text.splitlines(keepends=True)
        name = str(self.path)
        return ''.join(difflib.unified_diff(before, after, name, name, n=0))

    def write(self) -> None:
        """Replace the file by its new content.

        Raises:
            SoftshellError: the file was changed since it was read, or could not be written, and
                stays as it was; or the disk fails after that, which the text says.
        """
        try:
            self._replace()
        except OSError as error:
            raise SoftshellError(
                f'{self.path}: cannot be written: {error.strerror}; {self._fate()}'
            ) from None

    def _replace(self) -> None:
        if self.path.read_bytes() != self._before:
            raise SoftshellError(
                f'{self.path}: was changed since it was read; nothing is written, try again'
            )
        write_whole(self.path, self._text.encode())
        self._before = self._text.encode()

    def _fate(self) -> str:
        """What is left of the file after an error while it was written."""
        with contextlib.suppress(OSError):
            if self.path.read_bytes() == self._text.encode() != self._before:
                return 'the file is changed, but may not be after a power cut'
        return 'the file stays as it was'

    def _place(self, location: Sequence[str], written: str) -> tuple[int, int, str]:
        """The part of the text to replace, as start and end, and what replaces it."""
        node: yaml.Node | None = yaml.compose(self._text, Loader=yaml.SafeLoader)
        for depth, step in enumerate(location[:-1]):
            node = self._child(node, step, location[: depth + 1])
            if node is None:
                raise self._problem(location, f'there is no {step!r} to write it in')
        if not isinstance(node, yaml.MappingNode):
            raise self._problem(location[:-1], 'expected a mapping')
        old, key = self._child(node, location[-1], location), location[-1]
        if old is not None:
            start, end = old.start_mark.index, old.end_mark.index
            return start, end, written if start != end else f' {written}'
        if not node.value:
            return node.start_mark.index, node.end_mark.index, f'{{{key}: {written}}}'
        if node.flow_style:
            end = node.value[-1][1].end_mark.index
            return end, end, f', {key}: {written}'
        start, column = node.start_mark.index, node.start_mark.column
        ending = '\r\n' if '\r\n' in self._text else '\n'
        return start, start, f'{key}: {written}{ending}{" " * column}'

    def _child(
        self, node: yaml.Node | None, step: str, location: Sequence[str]
    ) -> yaml.Node | None:
        if not isinstance(node, yaml.MappingNode):
            return None
        for key, value in node.value:
            if key.value == step:
                if value.start_mark.index < key.end_mark.index:
                    text = 'is an alias of another entry; write the values out in its place'
                    raise self._problem(location, text)
                found: yaml.Node = value
                return found
        return None

    def _problem(self, location: Sequence[str], text: str) -> ProblemsError:
        return ProblemsError(str(self.path), [self._file.problem(location, text)])


def _with(data: Any, location: Sequence[str], value: Any) -> Any:
    """A copy of mappings within mappings with one entry changed or added."""
    if not location:
        return value
    inner = data.get(location[0]) if isinstance(data, dict) else None
    return {**(data or {}), location[0]: _with(inner, location[1:], value)}
