"""The files of a robot's `actions/` or `gaits/`: what they hold, and what is wrong with them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Generic

from softshell_common.yaml_file import Model, YamlFile
from softshell_kinematics.errors import ProblemsError


def placed(folder: Path, file: Path, problem: str) -> str:
    """A problem of a file, led by the file's path as seen from a folder."""
    folder = folder.resolve()
    inside = file.is_relative_to(folder)
    return f'{file.relative_to(folder) if inside else file}: {problem}'


class Files(Generic[Model]):
    """The files of one kind of a robot.

    Args:
        kind: name of the folder that holds them.
        model: of what each holds; has a name.

    Attributes:
        entries: what the files hold, by name.
        files: those of the entries.
        unfit: files of another form, by their names.
        wrong: names of files that hold something else; other files may refer to them.
        problems: what is wrong with them, one line each.
    """

    def __init__(self, kind: str, model: type[Model]) -> None:
        self._kind, self._model = kind, model
        self._folder = Path()
        self.entries: dict[str, Model] = {}
        self.files: dict[str, YamlFile] = {}
        self.unfit: dict[str, YamlFile] = {}
        self.wrong: set[str] = set()
        self.problems: list[str] = []

    def read(
        self, folder: Path, includes: Sequence[Path] = (), instead: Sequence[Path] = ()
    ) -> None:
        """Read all of them.

        Args:
            folder: of the robot.
            includes: further folders, whose files have other names.
            instead: further files; one takes the place of the robot's of the same name.
        """
        self._folder = folder
        paths: dict[str, Path] = {}
        for each in (folder, *includes):
            for path in sorted((each / self._kind).glob('*.yaml')):
                if path.stem in paths:
                    text = f'there is {paths[path.stem].resolve()} as well; expected another name'
                    self.problems.append(placed(folder, path.resolve(), text))
                paths.setdefault(path.stem, path)
        paths |= {path.stem: path for path in instead}
        for path in paths.values():
            self._read(path)
        if not paths:
            self.problems.append(f'{self._kind}: holds no file *.yaml; expected at least one')

    def placed(self, name: str, problem: str) -> str:
        """A problem of the file that holds an entry."""
        return self.placed_in(self.files[name], problem)

    def placed_in(self, file: YamlFile, problem: str) -> str:
        """A problem of a file."""
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
