"""Definitions of soft manipulators in files, YAML or JSON, and as plain data."""

import json
import re
from pathlib import Path
from typing import Any, TypeVar

import yaml

from softshell_common.plain_data import from_data as from_data
from softshell_common.whole_file import write_whole
from softshell_common.yaml_file import StrictModel, YamlFile
from softshell_kinematics.errors import SoftshellError

Form = TypeVar('Form', bound=StrictModel)

#: Endings of files that are read and written.
ENDINGS = ('.yaml', '.yml', '.json')
#: A character beyond the first 65 536, as JSON writes it in ASCII: two halves, which YAML refuses.
HALVES = re.compile(r'\\ud[89ab]..\\ud[c-f]..')


def read(kind: type[Form], path: str | Path) -> Form:
    """A definition from a file, `.yaml`, `.yml` or `.json`.

    Args:
        kind: its form, e.g. `ManipulatorForm`.
        path: of the file.

    Raises:
        ProblemsError: the file cannot be read or does not fit; names all problems, with lines.
        SoftshellError: the file name has another ending.
    """
    path = Path(path)
    _refuse_others(path)
    return YamlFile(path).validate(kind)  # JSON is YAML too


def to_data(form: StrictModel) -> dict[str, Any]:
    """A definition, `form`, as plain data; entries that have their defaults are left out."""
    data: dict[str, Any] = form.model_dump(mode='json', exclude_defaults=True)
    return data


def write(form: StrictModel, path: str | Path) -> None:
    """Write a definition to a file, all of it or nothing.

    Args:
        form: the definition.
        path: of the file, `.yaml`, `.yml` or `.json`.

    Raises:
        SoftshellError: the file name has another ending, or the file cannot be written.
    """
    path = Path(path)
    _refuse_others(path)
    data = to_data(form)
    if path.suffix == '.json':
        text = json.dumps(data, indent=2) + '\n'
        text = HALVES.sub(lambda found: json.loads(f'"{found[0]}"'), text)
    else:
        text = yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=99)
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise SoftshellError(f'{path}: cannot be written: {error.strerror}') from None


def _refuse_others(path: Path) -> None:
    if path.suffix not in ENDINGS:
        raise SoftshellError(f'{path}: expected a file that ends in {", ".join(ENDINGS)}')
