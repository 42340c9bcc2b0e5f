"""The page on files: every kind of file that users write, entry by entry."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, get_args

from pydantic import BaseModel

from softshell_tools.reference.docstrings import entries, summary
from softshell_tools.reference.markdown import anchor, code, page, table
from softshell_tools.reference.schema_words import Link, Schema, default, name_of, words


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    Args:
        title: name of the kind.
        place: where such a file is, or which argument names it.
        explained: the page of docs/ that explains it.
        model: the pydantic model of its content, as `module:class`.
    """

    title: str
    place: str
    explained: str
    model: str


KINDS = (
    FileKind('Robot', '`config/robots/<robot>/robot.yaml`, or the folder that `robot:=` names',
             'add-a-robot.md', 'softshell_description.form:RobotForm'),
    FileKind('Action', '`actions/*.yaml` of a robot', 'action-language.md',
             'softshell_actions.language.grammar:Action'),
    FileKind('Gait', '`gaits/*.yaml` of a robot', 'action-language.md',
             'softshell_actions.language.gait:Gait'),
    FileKind('Demo', '`demo.yaml` of a robot; `./softshell demo --scenario NAME`',
             'add-a-robot.md', 'softshell_recording.scenario:Content'),
    FileKind('Wiring of servos',
             '`config/hardware/<robot>.yaml`, `hardware.yaml` in the folder of a robot of your '
             'own, or what `wiring:=` names',
             'hardware.md', 'softshell_hardware.wiring.form:HardwareForm'),
    FileKind('Scene', 'what `scene:=` names', 'simulation.md',
             'softshell_sim.scenes.scene_file:SceneForm'),
    FileKind('Sensors', 'what the parameter `sensors_file` of the simulation names', 'sensors.md',
             'softshell_sim.sensing.sensor_settings:SensorSettings'),
    FileKind('Soft manipulator', 'what `soft` of a robot names', 'continuum.md',
             'softshell_continuum.forms:ManipulatorForm'),
    FileKind('Assembly of soft manipulators',
             'what a program reads by `softshell_continuum.files.read`', 'continuum.md',
             'softshell_continuum.forms:AssemblyForm'),
    FileKind('Study', 'what `./softshell sweep` is given', 'studies.md',
             'softshell_studies.study.form:StudyForm'),
    FileKind('Keys of the keyboard',
             '`config/teleop.yaml`, or what the parameter `key_map` of the keyboard names',
             'dashboard.md', 'softshell_teleop.settings:Settings'),
    FileKind('Page in the browser',
             '`config/dashboard.yaml`, or what the parameter `config` of the page has',
             'dashboard.md', 'softshell_dashboard.settings:PageSettings'),
)  # fmt: skip


def files_page() -> str:
    """The page, in Markdown."""
    listed = '\n'.join(f'- [{kind.title}](#{anchor(kind.title)})' for kind in KINDS)
    sections = Sections()
    return page(
        'Files',
        'Every YAML file that a user writes, entry by entry. An entry without a default is '
        'required; one whose default is a dash may be left out. An unknown entry is refused; the '
        'message names the nearest known one.',
        [listed, *(section for kind in KINDS for section in sections.of(kind))],
    )


def model_of(kind: FileKind) -> type[BaseModel]:
    """The model of a kind of file."""
    module, _, name = kind.model.partition(':')
    model: type[BaseModel] = getattr(import_module(module), name)
    return model


class Sections:
    """The sections of kinds of files; a model that several of them use is described once."""

    def __init__(self) -> None:
        self._titles: dict[type[BaseModel], str] = {}

    def of(self, kind: FileKind) -> Iterator[str]:
        """The sections of one kind of file, in Markdown."""
        model = model_of(kind)
        schema = model.model_json_schema()
        definitions = schema.get('$defs', {})
        classes = {one.__name__: one for one in models_in(model)}
        inner = [name for name in in_order(schema) if 'properties' in definitions[name]]
        new = [name for name in inner if classes[name] not in self._titles]
        for name in new:
            self._titles[classes[name]] = f'{kind.title}: {plain(name)}'

        def link(name: str) -> str:
            if name in classes and 'properties' in definitions[name]:
                return f'[{plain(name)}](#{anchor(self._titles[classes[name]])})'
            return words(definitions[name], link)

        yield f'## {kind.title}'
        yield f'{kind.place}. Explained in [{kind.explained}](../{kind.explained}).'
        yield entry_table(schema, model, link)
        for name in new:
            yield f'### {self._titles[classes[name]]}\n\n{summary(classes[name])}'
            yield entry_table(definitions[name], classes[name], link)


def plain(name: str) -> str:
    """The name of a class in plain words, e.g. `joint limits` of JointLimits."""
    name = re.sub(r'(Form|Spec|Settings|_Step)$', '', name) or name
    return ' '.join(re.findall('[A-Z][a-z]*', name)).lower()


def in_order(schema: Schema) -> list[str]:
    """Names of the definitions of a schema, in the order in which they are first referred to."""
    definitions = schema.get('$defs', {})
    seen: dict[str, None] = {}

    def visit(part: Any) -> None:
        if isinstance(part, dict) and '$ref' in part and name_of(part) not in seen:
            seen[name_of(part)] = None
            visit(definitions[name_of(part)])
        for inner in part.values() if isinstance(part, dict) else part:
            if isinstance(inner, dict | list):
                visit(inner)

    visit({key: value for key, value in schema.items() if key != '$defs'})
    return [*seen]


def models_in(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """A model and all models in its entries, at any depth."""
    seen: set[type] = set()
    waiting: list[Any] = [model]
    while waiting:
        one = waiting.pop()
        if isinstance(one, type) and issubclass(one, BaseModel):
            if one not in seen:
                seen.add(one)
                yield one
                waiting += [field.annotation for field in one.model_fields.values()]
        else:
            waiting += get_args(one)


def meanings(model: type[BaseModel]) -> dict[str, str]:
    """The meaning of each entry of a model, by its name in a file."""
    from_docstring = entries(model)
    return {
        field.alias or name: field.description
        or from_docstring.get(name)
        or from_docstring.get(field.alias or name, '')
        for name, field in model.model_fields.items()
    }


def entry_table(schema: Schema, model: type[BaseModel], link: Link) -> str:
    """The table of a model's entries, in Markdown."""
    meaning = meanings(model)
    rows = [
        (code(name), words(entry, link),
         '' if name in schema.get('required', ()) else default(entry), meaning[name])
        for name, entry in schema['properties'].items()
    ]  # fmt: skip
    return table(('entry', 'value', 'default', 'meaning'), rows)
