"""Writes the report of a bag; needs no ROS."""

from collections.abc import Callable
from pathlib import Path

from softshell_common.whole_file import write_whole
from softshell_kinematics.errors import SoftshellError
from softshell_recording.report.log import read_log
from softshell_recording.report.page import page


def write_report(
    path: Path,
    output: Path | None = None,
    namespace: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Path:
    """Write a page about one robot of a bag.

    Args:
        path: of the bag.
        output: file of HTML; default report.html in the bag's folder, or FILE.html beside a file.
        namespace: of the robot's stack; None: that of the only one.
        tell: takes a line about what is wrong with the bag.

    Returns:
        The file that was written.

    Raises:
        SoftshellError: the bag cannot be read, or the file cannot be written.
    """
    log = read_log(path, namespace, tell)
    text = page(log, f'Report of {path.name}', lambda line: tell(f'{path}: {line}'))
    file = output
    if file is None:
        file = path / 'report.html' if path.is_dir() else path.with_suffix('.html')
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode())
    except OSError as error:
        raise SoftshellError(f'{file}: {error.strerror}') from error
    return file
