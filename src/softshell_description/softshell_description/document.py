"""A YAML file that knows on which line each of its entries stands."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from softshell_common.errors import SoftshellError


@dataclass(frozen=True)
class Document:
    """A read YAML file.

    Args:
        name: file name, for messages.
        data: its content.
        lines: line (from 1) of each entry, by the keys that lead to it.
        duplicates: the keys that lead to an entry given twice.
    """

    name: str
    data: Any
    lines: dict[tuple[str, ...], int]
    duplicates: tuple[tuple[str, ...], ...]

    def where(self, *keys: str) -> str:
        """`file:line: a.b.c` of an entry, on the line of its nearest ancestor that exists."""
        known = keys
        while known and known not in self.lines:
            known = known[:-1]
        return f'{self.name}:{self.lines.get(known, 1)}: {".".join(keys)}'


def read_document(path: Path) -> Document:
    """Read a YAML file.

    Raises:
        SoftshellError: the file is missing or not YAML.
    """
    try:
        text = path.read_text(encoding='utf-8')
        data = yaml.safe_load(text)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except OSError as error:
        raise SoftshellError(f'{path}: {error.strerror or error}') from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SoftshellError(f'{path.name} is not YAML: {error}') from error
    lines: dict[tuple[str, ...], int] = {}
    duplicates: list[tuple[str, ...]] = []
    _locate(root, (), lines, duplicates)
    return Document(path.name, data, lines, tuple(duplicates))


def _locate(node, keys, lines, duplicates):
    if not isinstance(node, yaml.MappingNode):
        return
    for key_node, value_node in node.value:
        entry = (*keys, str(key_node.value))
        if entry in lines:
            duplicates.append(entry)
        lines[entry] = key_node.start_mark.line + 1
        _locate(value_node, entry, lines, duplicates)
