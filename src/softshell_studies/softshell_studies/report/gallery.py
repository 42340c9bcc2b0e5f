"""Pictures of chosen runs of a study: each is run again with its seed, and filmed."""

from collections.abc import Sequence
from pathlib import Path

from softshell_kinematics.errors import SoftshellError
from softshell_studies.film import Film
from softshell_studies.observers import filmed
from softshell_studies.report.runs import Runs
from softshell_studies.study.paths import with_values
from softshell_studies.study.scenario import scenario_of


def write_pictures(runs: Runs, chosen: Sequence[int], folder: Path) -> list[Path]:
    """Write an overview of eight pictures, and a video, of each chosen run.

    Args:
        runs: of the study.
        chosen: indices of the chosen runs in `runs`.
        folder: for the files; it is created if it is missing.

    Returns:
        Paths of the overviews, one for each chosen run.

    Raises:
        SoftshellError: the study's scenario cannot be filmed, or a file cannot be written.
    """
    form = runs.manifest['study']
    scenario = scenario_of(form['scenario']) if form['scenario'] else None
    if scenario is None or not scenario.is_seen:
        name = form['scenario'] or form['function']
        raise SoftshellError(f'{name} cannot be filmed; make the report without pictures')
    base = with_values({}, form['fixed'])
    pictures = []
    for place in chosen:
        parameters = with_values(base, runs.given[place])
        with filmed(Film()) as film:
            scenario.run(scenario.form.model_validate(parameters), int(runs.seed[place]))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            files = film.save(folder, f'run_{runs.number[place]:06}')
        except OSError as error:
            raise SoftshellError(f'{folder} cannot be written: {error.strerror}') from error
        pictures += [file for file in files if file.suffix == '.png']
    return pictures
