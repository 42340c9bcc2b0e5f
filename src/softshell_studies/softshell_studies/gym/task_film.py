"""A video of an episode."""

from pathlib import Path

from softshell_kinematics.errors import SoftshellError
from softshell_studies.film import Film
from softshell_studies.gym.task import Task


class TaskFilm:
    """Films a task while it is played.

    Args:
        task: that is played.
    """

    def __init__(self, task: Task) -> None:
        self._task, self._film = task, Film()

    def look(self, step: int) -> None:
        """Take a picture if one is due; `step` is the number of steps so far."""
        self._film.take(self._task.picture, step * self._task.period)

    def save(self, folder: Path, name: str) -> list[Path]:
        """Write `NAME.mp4` and `NAME.png`; returns their paths.

        Raises:
            SoftshellError: they cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return self._film.save(folder, name)
        except OSError as error:
            raise SoftshellError(f'{folder} cannot be written: {error.strerror}') from error
