"""JSON schemas of the files of actions and gaits, for editors that complete and check YAML.

They say what a single file may hold. `ActionLibrary` checks the rest: names of a robot, values of
expressions, and how actions refer to each other.
"""

import json
import re
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from softshell_actions.language.gait import Gait
from softshell_actions.language.grammar import Action
from softshell_common.yaml_file import StrictModel
from softshell_kinematics.errors import UnknownNameError

#: The kinds of files, and the models that read them.
KINDS: dict[str, type[StrictModel]] = {'action': Action, 'gait': Gait}


class _Generator(GenerateJsonSchema):
    """Makes schemas without titles of keys and without null, which are of no use in an editor."""

    #: The draft that most editors know.
    schema_dialect = 'http://json-schema.org/draft-07/schema#'

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never: a title would only repeat the key."""
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """An entry that may be absent: the schema of its value, without null."""
        return self.generate_inner(schema['schema'])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """An entry with its default; a default of None is left out."""
        result = super().default_schema(schema)
        if result.get('default', ...) is None:
            del result['default']
        return result

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """A mapping; if only certain keys are allowed, they are listed for editors to offer."""
        result = super().dict_schema(schema)
        names = result.pop('propertyNames', {}).get('enum')
        if names is not None:
            value = result['additionalProperties']
            result |= {'additionalProperties': False, 'properties': dict.fromkeys(names, value)}
        return result

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """A model by its name in plain words."""
        result = super().model_schema(schema)
        words = re.findall('[A-Z][a-z]*', schema['cls'].__name__)
        return result | {'title': ' '.join(words).lower()}


def schema(kind: str) -> dict[str, Any]:
    """The JSON schema of a kind of files.

    Args:
        kind: one of `KINDS`.

    Raises:
        UnknownNameError: there is no such kind.
    """
    if kind not in KINDS:
        raise UnknownNameError('kind of file', kind, KINDS)
    made = KINDS[kind].model_json_schema(schema_generator=_Generator)
    return {'$schema': _Generator.schema_dialect, **made}


def schema_text(kind: str) -> str:
    """The JSON schema of a kind of files, as the text of a file.

    Raises:
        UnknownNameError: as `schema`.
    """
    return json.dumps(schema(kind), indent=2, ensure_ascii=False) + '\n'
