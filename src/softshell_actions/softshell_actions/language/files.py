"""The files of a robot's `actions/` or `gaits/`: what they hold, and what is wrong with them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Generic

from softshell_common.yaml_file import Model, YamlFile, yaml_files
from softshell_kinematics.errors import ProblemsError

#: Folders of a robot, or of what several robots share, that hold actions and gaits.
ACTIONS, GAITS = 'actions', 'gaits'


def placed(folder: Path, file: Path, problem: str) -> str:
    """A problem of a file, after the file's path relative to a folder."""
    folder = folder.resolve()
    inside = file.is_relative_to(folder)
    return f'{file.relative_to(folder) if inside else file}: {problem}'


class Files(Generic[Model]):
    """The actions of a robot, or its gaits, as its files hold them.

    Args:
        kind: name of the folder that holds the files, `ACTIONS` or `GAITS`.
        model: checks what a file holds; has a field `name`.

    Attributes:
        entries: the actions or gaits, by name.
        files: the file of each entry, by the entry's name.
        unfit: files that the model refuses, by file name.
        wrong: names of files that the model refuses or that hold an entry of another name; that
            other files refer to these is no further mistake.
        problems: what is wrong with the files, one line each.
    """

    def __init__(self, kind: str, model: type[Model]) -> None:
        self._kind, self._model = kind, model
        self._folder = Path()
        self.entries: dict[str, Model] = {}
        self.files: dict[str, YamlFile] = {}
        self.unfit: dict[str, YamlFile] = {}
        self.wrong: set[str] = set()
        self.problems: list[str] = []

    def read(self, folder: Path, bases: Sequence[Path] = (), instead: Sequence[Path] = ()) -> None:
        """Read all files.

        Args:
            folder: of the robot.
            bases: further folders; no two files may have the same name.
            instead: files that replace those of the same name, or are added to them.
        """
        self._folder = folder
        paths: dict[str, Path] = {}
        for each in (folder, *bases):
            for path in yaml_files(each / self._kind):
                if path.stem in paths:
                    other = paths[path.stem].resolve()
                    text = f'has the same name as {other}; expected another'
                    self.problems.append(placed(folder, path.resolve(), text))
                paths.setdefault(path.stem, path)
        paths |= {path.stem: path for path in instead}
        for path in paths.values():
            self._read(path)
        if not paths:
            self.problems.append(f'{self._kind}: holds no file *.yaml; expected at least one')

    def placed(self, name: str, problem: str) -> str:
        """A problem of the file that holds an entry, after the file's path."""
        return self.placed_in(self.files[name], problem)

    def placed_in(self, file: YamlFile, problem: str) -> str:
        """A problem of a file, after the file's path."""
        return placed(self._folder, file.path, problem)

    def _read(self, path: Path) -> None:
        try:
            file = self.unfit[path.stem] = YamlFile(path)
            entry = file.validate(self._model)
        except ProblemsError as error:
            source = path.resolve()
            self.problems += [placed(self._folder, source, text) for text in error.problems]
            self.wrong.add(path.stem)
            return
        del self.unfit[path.stem]
        name = entry.name  # type: ignore[attr-defined]
        self.entries[name], self.files[name] = entry, file
        if name != path.stem:
            text = f'is {name!r}; expected the name of the file, {path.stem!r}'
            self.problems.append(self.placed(name, file.problem(['name'], text)))
            self.wrong.add(path.stem)
