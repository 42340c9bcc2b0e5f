"""Single values of a YAML file changed in place: comments, order and layout stay as they are."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from softshell_common.whole_file import write_whole
from softshell_common.yaml_file import YamlFile
from softshell_kinematics.errors import ProblemsError, SoftshellError


class YamlEdit:
    """Changes of a YAML file, which is written as a whole or not at all.

    Args:
        path: of the file; of a symbolic link the file that it leads to is changed.

    Attributes:
        path: of the file itself.

    Raises:
        ProblemsError: the file cannot be read or is no YAML.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._file = YamlFile(self.path)
        self._before = self.path.read_bytes()
        self._text = self._before.decode('utf-8')
        self._expected = self._file.data

    @property
    def text(self) -> str:
        """The file as it will be."""
        return self._text

    @property
    def changed(self) -> bool:
        """Whether anything is different."""
        return self._text.encode() != self._before

    def set(self, location: Sequence[str], value: str | float | int) -> None:
        """Change a value, or add it to the mapping that it belongs in.

        Args:
            location: keys from the top.
            value: a text, which is quoted where YAML needs it, or a number.

        Raises:
            ProblemsError: the mapping is not there, or the value cannot be changed alone.
        """
        written = yaml.safe_dump(value, default_flow_style=True, width=float('inf'))
        written = written.removesuffix('\n').removesuffix('\n...')
        start, end, new = self._place(location, written)
        text = self._text[:start] + new + self._text[end:]
        self._expected = _with(self._expected, location, value)
        try:
            good = yaml.safe_load(text) == self._expected
        except yaml.YAMLError:
            good = False
        if not good:
            raise self._problem(location, f'cannot be changed alone; expected {written}: by hand')
        self._text = text

    def diff(self) -> str:
        """The changed lines, as `diff -u` shows them."""
        before = self._before.decode('utf-8').splitlines(keepends=True)
        after = self._text.splitlines(keepends=True)
        name = str(self.path)
        return ''.join(difflib.unified_diff(before, after, name, name, n=0))

    def write(self) -> None:
        """Put the new file in the place of the old one.

        Raises:
            SoftshellError: it could not be written, or was changed by somebody else meanwhile; it
                is then as it was.
        """
        try:
            self._replace()
        except OSError as error:
            raise SoftshellError(
                f'{self.path}: cannot be written: {error.strerror}; it is as it was'
            ) from None

    def _replace(self) -> None:
        if self.path.read_bytes() != self._before:
            raise SoftshellError(f'{self.path}: was changed meanwhile; expected it as it was read')
        write_whole(self.path, self._text.encode())
        self._before = self._text.encode()

    def _place(self, location: Sequence[str], written: str) -> tuple[int, int, str]:
        """Where the text changes, from and to, and what comes there."""
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
                    text = 'is an alias of another entry; expected it to be written out'
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
