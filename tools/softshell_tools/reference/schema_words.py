"""The values that a JSON schema allows, in words."""

import json
from collections.abc import Callable
from typing import Any

from softshell_tools.reference.markdown import code

Schema = dict[str, Any]
#: Makes a link to a definition, from its name.
Link = Callable[[str], str]

_PLAIN = {'string': 'text', 'boolean': 'true or false', 'null': 'nothing', 'object': 'mapping'}


def name_of(reference: Schema) -> str:
    """The name of the definition that a schema refers to."""
    return str(reference['$ref']).rpartition('/')[2]


def words(schema: Schema, link: Link) -> str:
    """The values that a schema allows, in words.

    Args:
        schema: the schema, or a part of one.
        link: makes a link to a definition, from its name.
    """
    if '$ref' in schema:
        return link(name_of(schema))
    choice = schema.get('anyOf') or schema.get('oneOf')
    if choice:
        kinds = [words(one, link) for one in choice if one.get('type') != 'null']
        return ' or '.join(dict.fromkeys(kinds))
    if 'enum' in schema:
        return ' or '.join(code(_yaml(value)) for value in schema['enum'])
    if 'const' in schema:
        return code(_yaml(schema['const']))
    kind = schema.get('type')
    if isinstance(kind, list):
        return ' or '.join(words({**schema, 'type': one}, link) for one in kind)
    if kind == 'array':
        return _list(schema, link)
    values = [schema.get('additionalProperties'), *schema.get('patternProperties', {}).values()]
    if kind == 'object' and (held := [one for one in values if isinstance(one, dict)]):
        return f'mapping to {" or ".join(words(one, link) for one in held)}'
    if kind in ('number', 'integer'):
        return ('whole number' if kind == 'integer' else 'number') + _range(schema)
    return _PLAIN.get(str(kind), 'any value')


def default(schema: Schema) -> str:
    """The default of an entry that may be left out, as YAML; a dash if there is none."""
    value = schema.get('default')
    return '–' if value in (None, '', [], {}) else code(_yaml(value))


def _yaml(value: object) -> str:
    return str(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _list(schema: Schema, link: Link) -> str:
    if 'prefixItems' in schema:
        kinds = [words(item, link) for item in schema['prefixItems']]
        if len({*kinds}) == 1:
            return f'{len(kinds)} of: {kinds[0]}'
        return 'list of ' + ', '.join(kinds)
    item = words(schema['items'], link) if schema.get('items') else 'any value'
    least, most = schema.get('minItems'), schema.get('maxItems')
    if least is not None and least == most:
        return f'{least} of: {item}'
    return f'list of {item}'


def _range(schema: Schema) -> str:
    bounds = (
        ('minimum', '≥'), ('exclusiveMinimum', '>'), ('maximum', '≤'), ('exclusiveMaximum', '<'),
    )  # fmt: skip
    told = [f'{sign} {schema[key]:g}' for key, sign in bounds if key in schema]
    return ' ' + ', '.join(told) if told else ''
