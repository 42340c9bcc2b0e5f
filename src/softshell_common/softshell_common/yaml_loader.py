"""Reads the text of a YAML document, by libyaml where PyYAML was built with it."""

import re
from typing import Any

import yaml
from yaml.constructor import ConstructorError

#: In words, the type that a scalar is read as, by the end of its YAML tag.
_SCALARS = {
    'bool': 'true or false',
    'float': 'a number',
    'int': 'a whole number',
    'timestamp': 'a date',
}
#: Largest number of digits of a whole number.
_MOST_DIGITS = 4000
#: Most levels of a document. libyaml builds nodes recursively, and does not check its stack.
_MOST_LEVELS = 200
#: It takes a seventh of the time of the one in Python.
_Base: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


class Loader(_Base):  # type: ignore[misc]
    """Reads plain data; errors of scalars that look like numbers or dates name their line."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The value of a node.

        Raises:
            ConstructorError: it cannot be read; names its line.
        """
        if isinstance(node, yaml.ScalarNode) and node.tag.endswith(':int'):
            digits = sum(character.isalnum() for character in node.value)
            if digits > _MOST_DIGITS:
                problem = f'a whole number of {digits} digits; expected {_MOST_DIGITS} at most'
                raise ConstructorError(None, None, problem, node.start_mark)
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError, AttributeError, ArithmeticError) as error:
            kind = node.tag.rpartition(':')[2]
            value = node.value if isinstance(node, yaml.ScalarNode) else kind
            reason = f': {error}' if kind == 'timestamp' and isinstance(error, ValueError) else ''
            problem = f'{value!r} cannot be read as {_SCALARS.get(kind, kind)}{reason}'
            problem += '; write a text in quotes'
            raise ConstructorError(None, None, problem, node.start_mark) from None


class JsonLoader(Loader):
    """Reads JSON, where 1e-06 is a number; in YAML 1.1 it is a text."""


JsonLoader.add_implicit_resolver(
    'tag:yaml.org,2002:float', re.compile(r'-?\d+(\.\d+)?[eE][-+]?\d+$'), list('-0123456789')
)


def _composed(text: str, loader: type[Loader] = Loader) -> yaml.Node | None:
    """The root node of a document, whose nodes know their lines; None if it is empty.

    Raises:
        yaml.YAMLError: it is no YAML, or has more than 200 levels.
    """
    level = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            if level > _MOST_LEVELS:
                raise yaml.YAMLError(f'it is nested too deeply: over {_MOST_LEVELS} levels')
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1
    node: yaml.Node | None = yaml.compose(text, Loader=loader)
    return node


def loaded(text: str, loader: type[Loader] = Loader) -> tuple[yaml.Node | None, Any]:
    """The root node of a document, and the document as plain lists, dictionaries and values.

    Raises:
        yaml.YAMLError: it is no YAML, has more than 200 levels, or a value cannot be read.
    """
    # Reading the data puts what `<<` merges into the nodes, so these are not the same.
    return _composed(text, loader), yaml.load(text, Loader=loader)
