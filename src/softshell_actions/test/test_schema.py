"""The JSON schemas for editors say what the files may hold: what is read is valid, and no more."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from softshell_actions.language.schema import KINDS, schema, schema_text
from softshell_kinematics.errors import UnknownNameError

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / 'config/robots').glob('*/actions/*.yaml'))
FILES += sorted((ROOT / 'config/robots').glob('*/gaits/*.yaml'))
VALIDATORS = {kind: jsonschema.Draft7Validator(schema(kind)) for kind in KINDS}

ACTION = """
name: all
description: Every key there is.
priority: 2
requires: {condition: standing, action: stand}
parameters:
  far: {default: 0.1, minimum: 0, maximum: 1, unit: m, meaning: how far}
variables: {half: far / 2}
sub_actions:
  - use: stand
    repeat: far
    with: {duration: 1}
  - name: walk
    when: standing
    repeat: 3
    moves:
      - {velocity: {x: half, y: 0, yaw: 0.1}}
      - {gait: crawl, cycle: 2, height: 0.03, slant: 0.1, spread: far, lift: false}
  - name: move
    duration: far
    moves:
      - {base: [{x: 0, y: 0, z: far, yaw: 0, pitch: 0, roll: 0}], relative: true, weights: [1.5]}
      - {group: arm, chains: [left], points: [{x: 1}, {z: far}], weights: [1, 2], relative: true}
      - {group: arm, chains: all, joints: [{elbow: far}], weights: [1], like: left, mirrored: true}
      - {group: arm, like: left, mirrored: false, points: [{z: 0}], nodes: true}
      - {base: [{x: 0}, {x: 1}], degree: 2, law: cubic}
      - {group: arm, pose: home}
      - {legs: [front_left], height: 0.1}
"""


def kind_of(path: Path) -> str:
    return path.parent.name.removesuffix('s')


def is_read(kind: str, document: Any) -> bool:
    """Whether the model that reads such files takes a document."""
    try:
        KINDS[kind].model_validate(document)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize('kind', [*KINDS])
def test_the_schema_is_one_and_the_one_that_is_published(kind):
    """If not: ./softshell action --schema action --output config/schema/action.json, or gait."""
    jsonschema.Draft7Validator.check_schema(schema(kind))
    published = ROOT / 'config' / 'schema' / f'{kind}.json'
    assert published.read_text(encoding='utf-8') == schema_text(kind)


@pytest.mark.parametrize('path', FILES, ids=lambda path: '/'.join(path.parts[-3:]))
def test_what_ships_is_valid(path):
    """Every action and gait of every robot."""
    VALIDATORS[kind_of(path)].validate(yaml.safe_load(path.read_text(encoding='utf-8')))


def entries(document: Any, place: tuple = ()) -> Iterator[tuple]:
    """The place of each entry of a document."""
    if place:
        yield place
    inner = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in inner:
        if isinstance(value, dict | list):
            yield from entries(value, (*place, key))
        else:
            yield (*place, key)


def spoilt(document: Any) -> Iterator[tuple[str, Any]]:
    """A document with one mistake, everywhere and of every kind."""
    for place in entries(document):
        changes = {
            'gone': None,
            'misspelt': None,
            'a list': [],
            'keys': {},
            'true': True,
            'text': 'a',
        }
        for change, value in changes.items():
            copied = copy.deepcopy(document)
            owner = copied
            for step in place[:-1]:
                owner = owner[step]
            last = place[-1]
            if change in ('gone', 'misspelt'):
                removed = owner.pop(last)
                if change == 'misspelt' and isinstance(owner, dict):
                    owner[f'{last}s'] = removed
            else:
                owner[last] = value
            yield f'{change}: {place}', copied


@pytest.mark.parametrize('kind', [*KINDS])
def test_a_file_with_a_mistake_is_valid_if_and_only_if_it_is_read(kind):
    """Any entry left out, misspelt, or with a value of another kind: schema and reader agree."""
    text = ACTION
    if kind == 'gait':
        text = (ROOT / 'config/robots/quadruped/gaits/crawl.yaml').read_text(encoding='utf-8')
    document = yaml.safe_load(text)
    assert is_read(kind, document)
    VALIDATORS[kind].validate(document)
    verdicts = [is_read(kind, changed) for _, changed in spoilt(document)]
    assert 0 < sum(verdicts) < len(verdicts)
    disagree = [
        told
        for (told, changed), verdict in zip(spoilt(document), verdicts, strict=True)
        if VALIDATORS[kind].is_valid(changed) != verdict
    ]
    assert disagree == []


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    [
        ('name: walk', 'nam: walk', 'nam'),
        ('duration: far', 'repeat: far', 'duration'),
        ('    when: standing', '    duration: 1', 'duration'),
        ('{x: 1}, {z: far}', '{x: 1}, {w: far}', 'w'),
        ('{group: arm, pose: home}', '{group: arm}', 'pose'),
        ('weights: [1],', 'weights: [-1],', '-1'),
        ('priority: 2', 'priority: high', 'high'),
        ('maximum: 1,', 'maximum: most,', 'most'),
    ],
)
def test_a_mistake_is_found_where_it_is(old, new, said):
    """The schema names the key or value that is wrong, among the causes that it gives."""
    assert old in ACTION
    document = yaml.safe_load(ACTION.replace(old, new, 1))
    (error,) = VALIDATORS['action'].iter_errors(document)

    def causes(error: jsonschema.ValidationError) -> Iterator[str]:
        yield error.message
        for cause in error.context or ():
            yield from causes(cause)

    assert any(f"'{said}'" in text or said in text.split() for text in causes(error)), error


def test_every_entry_has_words_for_whoever_writes_it():
    """Each key of each kind of entry has a description; coordinates speak for themselves."""
    for kind in KINDS:
        made = schema(kind)
        for name, entry in {kind: made, **made['$defs']}.items():
            assert entry['description'], name
            for key, described in entry['properties'].items():
                assert described.get('description'), f'{name}.{key}'


def test_an_unknown_kind_of_file_is_refused():
    """The error lists the kinds."""
    with pytest.raises(
        UnknownNameError, match="unknown kind of file 'robot'; known: action, gait"
    ):
        schema('robot')
