"""Signatures of classes and functions, with types as their source code names them."""

import ast
import dataclasses
import enum
import inspect
import math
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from softshell_common.yaml_file import StrictModel

#: A longer signature is written with one argument on each line [characters].
WIDTH = 88
#: Types of defaults that are shown as they are; others are shown as their source has them.
PLAIN = (bool, int, float, str, type(None))

#: The type and the default of each argument, as source code; None where there is none.
Sources = dict[str, tuple[ast.expr | None, ast.expr | None]]


@dataclass(frozen=True)
class Code:
    """A type or a default that is shown as this text."""

    text: str

    def __repr__(self) -> str:
        return self.text


def signature(name: str, function: Callable[..., Any]) -> str:
    """The signature of a function or method, as it is called.

    Args:
        name: what it is called by.
        function: the function; of a method `self` and `cls` are left out.
    """
    node = _node(function)
    assert isinstance(node, ast.FunctionDef)
    return _told(name, function, _of_arguments(node.args), node.returns)


def class_signature(kind: type) -> str:
    """The signature by which an object of a class is made; empty if it has none of its own."""
    if _has_fields(kind):
        return _told(kind.__name__, kind, _of_fields(kind), None)
    begin = getattr(kind, '__init__', None)
    if not inspect.isfunction(begin):
        return ''
    return signature(kind.__name__, begin).removesuffix(' -> None')


def members(kind: enum.EnumType) -> Iterator[tuple[str, str]]:
    """Names of the members of an enumeration, with the comments above them that begin with #:."""
    for names, comment in _commented(kind):
        if names in kind.__members__:
            yield names, comment


def constants(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Names of the constants of a module, with the comments above them that begin with #:.

    Several that are assigned at once come as one text: `EDGE, GAP`.
    """
    for names, comment in _commented(module):
        if comment and names.isupper():
            yield names, comment


def _commented(thing: type | ModuleType) -> Iterator[tuple[str, str]]:
    """What stands left of ` = ` in each line, with the comment above it that begins with #:."""
    comment = ''
    for line in map(str.strip, inspect.getsource(thing).splitlines()):
        if line.startswith('#:'):
            comment = f'{comment} {line.removeprefix("#:").strip()}'.strip()
            continue
        yield line.partition(' = ')[0], comment
        comment = ''


def _has_fields(kind: type) -> bool:
    """Whether it is a dataclass, or the form of a file."""
    return dataclasses.is_dataclass(kind) or (
        issubclass(kind, StrictModel) and kind is not StrictModel
    )


def _node(thing: Any) -> ast.stmt:
    return ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]


def _of_arguments(arguments: ast.arguments) -> Sources:
    """The arguments of a function."""
    plain = [*arguments.posonlyargs, *arguments.args]
    none: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    given = [
        *zip(plain, [*none, *arguments.defaults], strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        *((each, None) for each in (arguments.vararg, arguments.kwarg) if each is not None),
    ]
    return {each.arg: (each.annotation, default) for each, default in given}


def _of_fields(kind: type) -> Sources:
    """The fields of a dataclass or of a form, also of those that it extends."""
    return {
        each.target.id: (each.annotation, each.value)
        for base in reversed(kind.__mro__)
        if _has_fields(base)
        for each in ast.walk(_node(base))
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }


def _told(name: str, function: Any, sources: Sources, result: ast.expr | None) -> str:
    """A signature on one line, or on several if it is long."""
    found = inspect.signature(function)
    arguments = []
    for each in found.parameters.values():
        kind, default = sources[each.name]
        if each.name not in ('self', 'cls'):
            shown = each.replace(annotation=each.empty if kind is None else _type(kind))
            if type(each.default) is float and math.isinf(each.default):
                shown = shown.replace(default=Code(f'{each.default}'.replace('inf', 'math.inf')))
            elif each.default is not each.empty and type(each.default) not in PLAIN:
                shown = shown.replace(default=_default(default, function))
            arguments.append(shown)
    ending = found.empty if result is None else _type(result)
    text = str(found.replace(parameters=arguments, return_annotation=ending))
    line = name + text
    if len(line) <= WIDTH:
        return line
    # As `str` writes it: what separates arguments stands at no depth of brackets.
    inside, _, after = text[1:].rpartition(')')
    return '\n'.join([f'{name}(', *(f'    {each},' for each in _parts(inside)), f'){after}'])


def _parts(text: str) -> Iterator[str]:
    """The arguments in a text, which are separated by commas.

    Commas in brackets, and between the arguments of a lambda, separate none.
    """
    depth, begin, in_lambda = 0, 0, False
    for place, letter in enumerate(text):
        depth += (letter in '([{') - (letter in ')]}')
        in_lambda = (in_lambda or text.startswith('lambda ', place)) and letter != ':'
        if depth == 0 and not in_lambda and text.startswith(', ', place):
            yield text[begin:place]
            begin = place + 2
    yield text[begin:]


def _type(node: ast.expr) -> Code:
    """A type, without the quotation marks of one that is named before it exists."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return Code(node.value)
    return Code(ast.unparse(node))


def _default(node: ast.expr | None, where: Any) -> Code:
    """The default of an argument, or of a field that makes one for each object.

    Args:
        node: its source.
        where: the function or the dataclass.
    """
    assert node is not None
    factories = [
        each.value
        for each in (node.keywords if isinstance(node, ast.Call) else ())
        if each.arg == 'default_factory'
    ]
    for made in factories:
        if isinstance(made, ast.Lambda):
            return Code(ast.unparse(made.body))
        name = ast.unparse(made)
        if name.startswith('_'):  # of no use to a reader: what it makes is shown
            return Code(str(vars(sys.modules[where.__module__])[name]().tolist()))
        return Code(f'{name}()')
    return Code(ast.unparse(node))
