"""Messages of a page are checked; errors name the field, the value and what was expected."""

import contextlib
import json
import re
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softshell_dashboard.messages import Hold, Message, Perform, read_message
from softshell_kinematics.errors import SoftshellError


def test_messages_are_read():
    assert read_message('{"type": "hold", "commands": ["forward"]}') == Hold(
        type='hold', commands=('forward',)
    )
    message = read_message('{"type": "perform", "action": "walk", "parameters": {"distance": 1}}')
    assert isinstance(message, Perform)
    assert message.parameters == {'distance': 1.0}


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('hello', 'a message is hello; expected JSON'),
        ('{}', "unknown type of message ''; known: alive, "),
        ('[1]', "unknown type of message ''"),
        ('{"type": ["hold"]}', 'unknown type of message'),
        ('{"type": "fly"}', "unknown type of message 'fly'; known: alive, "),
        ('{"type": "hold", "stick": [2, 0, 0]}', 'hold: stick.0: is 2; expected at most 1'),
        ('{"type": "hold", "stick": [0, 0]}', 'hold: stick.2: is required'),
        ('{"type": "hold", "stick": [NaN, 0, 0]}', 'hold: stick.0: is '),
        ('{"type": "hold", "keys": ["w"]}', 'keys: unknown key; known: type, commands, stick'),
        ('{"type": "perform"}', 'perform: action: is required'),
        ('{"type": "fingers", "values": {}}', 'values: is {}; expected 1 or more entries'),
        ('{"type": "pose", "z": Infinity, "roll": 0, "pitch": 0}', 'pose: z: is '),
        (
            '{"type": "remove", "body": "a\\u0000b"}',
            "remove: body: is 'a\\x00b'; expected characters that can be printed",
        ),
        ('{"type": "speed", "factor": ' + '9' * 400 + '}', 'speed: factor: is '),
        (
            json.dumps({'type': 'spawn', 'description': 'x' * 30_000}),
            'characters; expected at most',
        ),
    ],
)
def test_an_invalid_message_is_explained(text, said):
    with pytest.raises(SoftshellError) as caught:
        read_message(text)
    assert said in str(caught.value)
    assert '\n' not in str(caught.value)


def test_the_page_lets_nobody_write_a_longer_description_than_a_message_may_have():
    page = resources.files('softshell_dashboard').joinpath('page', 'index.html').read_text('utf-8')
    longest = int(re.search(r'id="description"[^>]* maxlength="(\d+)"', page)[1])
    message = {'type': 'spawn', 'description': longest * 'x'}
    assert len(read_message(json.dumps(message)).description) == longest
    message['description'] += 'x'
    with pytest.raises(
        SoftshellError, match=f'description: .* a text of {longest} or fewer characters'
    ):
        read_message(json.dumps(message))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(content=JSON, kind=st.sampled_from(['alive', 'hold', 'pose', 'perform', 'spawn', 'view']))
def test_nothing_but_a_message_or_an_error_comes_of_anything(content, kind):
    if isinstance(content, dict):
        content['type'] = kind
    with contextlib.suppress(SoftshellError):
        assert isinstance(read_message(json.dumps(content)), Message)
