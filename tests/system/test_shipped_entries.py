"""Files that users write: no entry of their forms is without a use in a file that is shipped."""

from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
import yaml
from pydantic import BaseModel

from softshell_description.load import load_robot
from softshell_hardware.wiring.config import load_hardware
from softshell_tools.reference.files import KINDS, model_of, models_in

ROOT = Path(__file__).resolve().parents[2]
FILES = [path for top in ('config', 'examples', 'urdf') for path in ROOT.glob(f'{top}/**/*.yaml')]


def titles(model: type[BaseModel]) -> dict[str, str]:
    """The class that declares each entry and the entry, by its key; some models share a base."""
    return {
        field.alias or name: next(
            f'{one.__name__}: {field.alias or name}'
            for one in reversed(model.__mro__)
            if name in getattr(one, 'model_fields', ())
        )
        for name, field in model.model_fields.items()
    }


def used(kind: Any, written: Any) -> set[str] | None:
    """The entries that something written for a type uses, at any depth; None: it does not fit."""
    inner, outer, parts = get_args(kind), get_origin(kind), []
    found: set[str] = set()
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        known = titles(kind)
        if isinstance(written, dict):
            if not set(known) >= set(written):
                return None
            fields = {field.alias or name: field for name, field in kind.model_fields.items()}
            found = {known[key] for key in written}
            parts = [used(fields[key].annotation, value) for key, value in written.items()]
    elif outer is dict and isinstance(written, dict):
        parts = [used(inner[1], value) for value in written.values()]
    elif outer in (list, tuple) and isinstance(written, list):
        parts = [used(inner[0], value) for value in written]
    elif isinstance(written, dict | list) and (kinds := [one for one in inner if holds(one)]):
        fits = [one for one in (used(one, written) for one in kinds) if one is not None]
        parts = fits[:1] or [None]  # of a union, or of one type with remarks
    return None if None in parts else found.union(*parts)


def holds(kind: Any) -> bool:
    """Whether there are models in a type."""
    return any(True for _ in models_in(kind))


@pytest.fixture(scope='module')
def shown():
    """The entries that shipped files use, whatever their kind."""
    written = [yaml.safe_load(path.read_text(encoding='utf-8')) for path in FILES]
    uses = (used(model_of(kind), each) for kind in KINDS for each in written)
    return set().union(*(each for each in uses if each))


@pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.title)
def test_each_entry_is_used_by_a_shipped_file(kind, shown):
    """One that none uses is either hidden from users, who copy these files, or needless."""
    entries = {title for model in models_in(model_of(kind)) for title in titles(model).values()}
    assert entries - shown == set()


@pytest.mark.parametrize(
    'file', ROOT.glob('examples/**/hardware.yaml'), ids=lambda file: file.parent.name
)
def test_wirings_of_examples_fit_their_robots(file):
    """Every joint and every channel has its servo."""
    robot = load_robot(file.parent)
    wiring = load_hardware(robot)
    assert wiring.path == file
    assert len(wiring.motors) == len(robot.joint_names) + len(robot.channels)
