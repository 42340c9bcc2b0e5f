"""Definitions of messages that go into recordings."""

import json
from pathlib import Path

import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from softshell_kinematics.errors import SoftshellError
from softshell_recording.definitions import Definitions, installed_shares

pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

FEEDBACK = 'softshell_interfaces/action/ExecuteAction_FeedbackMessage'


def kinds() -> dict[str, str]:
    """Types of our messages, and the hashes that ROS's own generator has made of them."""
    (ours,) = (
        share / 'softshell_interfaces' / 'msg'
        for share in installed_shares()
        if (share / 'softshell_interfaces').is_dir()
    )
    found = {}
    for path in sorted(ours.glob('*.json')):
        (first, *_) = json.loads(path.read_text())['type_hashes']
        found[first['type_name']] = first['hash_string']
    return found


@pytest.mark.parametrize(('kind', 'digest'), kinds().items())
def test_hashes_are_those_of_ros(kind, digest):
    """Made from the text, they are those that ROS's own generator made."""
    text, ours = Definitions().of(kind)
    assert ours == digest
    assert text


def test_a_definition_is_whole():
    """Who knows no type at all can read it: all that it is made of is in the text."""
    text, digest = Definitions().of('softshell_interfaces/msg/FingerStates')
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(text, 'softshell_interfaces/msg/FingerStates'))
    assert store.hash_rihs01('softshell_interfaces/msg/FingerStates') == digest


def test_what_an_action_feeds_back_has_one_as_well():
    """Made of its .action file."""
    text, _ = Definitions().of(FEEDBACK)
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(text, FEEDBACK))
    fields = dict(store.fielddefs['softshell_interfaces/msg/ExecuteAction_Feedback'][1])
    assert set(fields) == {'sub_action', 'index', 'count', 'progress'}


def test_of_what_is_not_installed_there_is_none(tmp_path: Path):
    """The error names the type that is missing, not the one that is made of it."""
    folder = tmp_path / 'mine' / 'msg'
    folder.mkdir(parents=True)
    (folder / 'Outer.msg').write_text('other/Inner inner\n')
    definitions = Definitions([tmp_path])
    with pytest.raises(SoftshellError, match='no definition of other/msg/Inner is installed'):
        definitions.of('mine/msg/Outer')
    (folder / 'Broken.msg').write_text('float64[ x\n')
    with pytest.raises(SoftshellError, match='definition of mine/msg/Broken: '):
        definitions.of('mine/msg/Broken')
