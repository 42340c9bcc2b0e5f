"""Tables of the entries of forms that programs and studies fill in, with dots for nested ones."""

from collections.abc import Iterator

from pydantic import BaseModel

from softshell_tools.reference.files import meanings
from softshell_tools.reference.markdown import code, table
from softshell_tools.reference.schema_words import default, words


def form_table(title: str, form: BaseModel) -> str:
    """The table of all single values of a form, in Markdown.

    Args:
        title: of the column of names.
        form: an instance, whose values are shown as the defaults.
    """
    return table((title, 'value', 'default', 'meaning'), _rows(form, ''))


def _rows(form: BaseModel, before: str) -> Iterator[tuple[str, str, str, str]]:
    """The rows of a form; all names begin with `before`."""
    schema, meaning = type(form).model_json_schema(), meanings(type(form))
    for name, value in form:
        if isinstance(value, BaseModel):
            yield from _rows(value, f'{before}{name}.')
        else:
            entry = {**schema['properties'][name], 'default': value}
            yield code(before + name), words(entry, code), default(entry), meaning[name]
