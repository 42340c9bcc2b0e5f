"""Messages that are written into a bag by a separate process, which outlives its parent.

A stack ends within three seconds of a fault, and a bag of half a minute takes longer than that on
a busy machine. Needs no ROS.
"""

import argparse
import contextlib
import os
import pickle
import re
import shutil
import subprocess
import sys
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from softshell_kinematics.errors import SoftshellError
from softshell_recording.topic import Message, Topic

#: Names of bags that are removed when there are too many: date and time, then maybe a namespace.
DATED = re.compile(r'\d{4}-\d\d-\d\d-\d{6}(-.+)?')
#: A file that tells a bag of a black box: none but these are removed.
MARK = 'made_by_black_box'


def begin_writing(
    path: Path, messages: Sequence[Message], most_bags: int
) -> subprocess.Popen[bytes]:
    """Start a process that writes messages into a bag.

    Its errors go to standard error; its exit status is 1 then.

    Args:
        path: of a bag that is not there yet.
        messages: by time.
        most_bags: how many bags of black boxes stay in its folder; older ones are removed.

    Raises:
        OSError: no process can be started.
    """
    with open(os.memfd_create('messages'), 'w+b') as memory:
        _put(messages, memory)
        memory.seek(0)
        command = (sys.executable, '-P', '-m', __name__, str(path), str(most_bags))
        return subprocess.Popen(command, stdin=memory, start_new_session=True)


def _put(messages: Sequence[Message], file: BinaryIO) -> None:
    """Write messages into a file: topics, three numbers for each message, then all data.

    A pickle of all would keep track of every object in it, which takes 20 MB for half a minute of
    a stack. They are never given back, as what comes next is put between what is left.
    """
    places: dict[Topic, int] = {}
    numbers = array('q')
    for message in messages:
        place = places.setdefault(message.topic, len(places))
        numbers.extend((place, message.stamp, len(message.data)))
    pickle.dump((list(places), numbers), file)
    for message in messages:
        file.write(message.data)


def _taken_from(file: BinaryIO) -> Iterator[Message]:
    """The messages of a file that `_put` wrote."""
    topics, numbers = pickle.load(file)
    for place, stamp, size in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        yield Message(topics[place], stamp, file.read(size))


def make_room(folder: Path, most_bags: int) -> None:
    """Remove the oldest bags that black boxes made in a folder, until so many are left.

    What has another name than they give, or no `MARK` in it, stays.
    """
    made = sorted(
        path
        for path in folder.iterdir()
        if DATED.fullmatch(path.name) and os.path.isfile(path / MARK)  # also if it is closed to us
    )
    for path in made[: max(len(made) - most_bags, 0)]:
        shutil.rmtree(path, ignore_errors=True)


def main() -> int:
    """Write the messages that come by standard input; returns the exit status."""
    from softshell_recording.bag import BagWriter, Taker
    from softshell_recording.definitions import Definitions

    parser = argparse.ArgumentParser()
    parser.add_argument('path', type=Path)
    parser.add_argument('most_bags', type=int)
    options = parser.parse_args()
    try:
        options.path.parent.mkdir(parents=True, exist_ok=True)
        # Not after it: the disk may be full, or a clock that is behind make it the oldest.
        make_room(options.path.parent, options.most_bags - 1)
        with BagWriter(options.path, Definitions()) as bag:
            (options.path / MARK).touch()
            taker = Taker(bag, _tell)
            for message in _taken_from(sys.stdin.buffer):
                taker.take(message)
    except (SoftshellError, OSError) as error:
        _tell(f'error: the black box cannot be written: {error}')
        return 1
    return 0


def _tell(line: str) -> None:
    """Print a line, if anybody is left to read it: this process outlives its parent."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)


if __name__ == '__main__':
    sys.exit(main())
