"""The page of the action language shows all of it, and its examples are performed."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from softshell_actions.held import durations, held_against
from softshell_actions.language.expression import evaluate
from softshell_actions.language.schema import KINDS, schema
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_description.load import load_robot
from softshell_kinematics.transforms import COORDINATES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs' / 'action-language.md').read_text(encoding='utf-8')
EXAMPLES = [yaml.safe_load(text) for text in re.findall(r'```yaml\n(.*?)```', PAGE, re.DOTALL)]
#: Backticked words of the page outside its examples.
WORDS = re.findall(r'`([^`\n]+)`', re.sub(r'```yaml\n.*?```', '', PAGE, flags=re.DOTALL))


def kind_of(document: dict[str, Any]) -> str:
    return 'gait' if 'stride' in document else 'action'


def of_shell(document: dict[str, Any]) -> bool:
    """Whether an example is Shell's: controllers are all that only it has."""
    return 'controller' in keys_of(document)


@pytest.mark.parametrize('name', ['quadruped', 'shell'])
def test_every_example_is_performed(name, tmp_path):
    """By its robot, with its defaults; the gait as well, by the action that walks it."""
    robot = load_robot(name)
    examples = [document for document in EXAMPLES if of_shell(document) == (name == 'shell')]
    for document in examples:
        path = tmp_path / f'{kind_of(document)}s' / f'{document["name"]}.yaml'
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(document, sort_keys=False), encoding='utf-8')
    held = held_against(robot, tmp_path)
    told = dict(durations(robot, held))
    assert set(told) == {one['name'] for one in examples if kind_of(one) == 'action'}
    assert all(text.startswith('takes ') for text in told.values()), told
    rehearsal = Rehearsal(robot, 'stand', held.library)
    for _ in range(8 * (name == 'quadruped')):
        assert [*rehearsal.perform('stroll', {'x': 0.01})]


def keys_of(document: Any) -> Iterator[str]:
    """Every key of a document."""
    if isinstance(document, dict):
        yield from map(str, document)
    if isinstance(document, dict | list):
        for value in document.values() if isinstance(document, dict) else document:
            yield from keys_of(value)


def test_every_key_is_explained_and_shown():
    """Those that the schemas have are those of the page, in its text and in an example."""
    made = [schema(kind) for kind in KINDS]
    known = {
        key
        for one in made
        for entry in (one, *one['$defs'].values())
        for key in entry['properties']
    }
    shown = {key for document in EXAMPLES for key in keys_of(document)}
    assert sorted(known - shown) == []
    written = {word for text in WORDS for word in re.findall(r'\w+', text)}
    assert sorted(known - written) == []
    assert set(COORDINATES) <= written


def test_every_example_is_valid_for_an_editor():
    """Against the published schemas."""
    for document in EXAMPLES:
        path = ROOT / 'config' / 'schema' / f'{kind_of(document)}.json'
        published = json.loads(path.read_text(encoding='utf-8'))
        jsonschema.Draft7Validator(published).validate(document)


def test_facts_functions_and_lengths_are_those_that_there_are():
    """Each word that the page gives for an expression has a value, and every fact is named."""
    functions = next(word for word in WORDS if word.startswith('abs ')).split()
    for name in functions:
        arguments = '1, 2' if name in ('max', 'min') else '1'
        assert evaluate(f'{name}({arguments})', {}) is not None
    with pytest.raises(Exception, match='unknown name') as caught:
        evaluate('nothing', {})
    listed = str(caught.value).split('known: ')[1].split(', ')
    assert sorted([*functions, 'pi']) == listed
    for name in ('shell', 'quadruped'):
        vocabulary = body_of(load_robot(name)).vocabulary
        assert set(vocabulary.facts) | set(vocabulary.lengths) <= set(WORDS)


def test_an_editor_finds_the_schemas_that_the_pages_speak_of():
    """From the folder of the page's own action, and by the patterns of the settings."""
    page = (ROOT / 'docs' / 'add-an-action.md').read_text(encoding='utf-8')
    (line,) = re.findall(r'\$schema=(\S+)', page)
    folder = 'mine/bower/actions'
    assert f'{folder}/' in page
    assert (ROOT / folder / line).resolve().is_file()
    (settings,) = re.findall(r'```json\n(.*?)```', page, re.DOTALL)
    for path, pattern in json.loads(settings)['yaml.schemas'].items():
        found = [*(ROOT / 'config').glob(pattern)]
        model = KINDS[Path(path).stem]
        assert found
        for file in found:
            model.model_validate(yaml.safe_load(file.read_text(encoding='utf-8')))
