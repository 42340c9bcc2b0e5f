"""What no page sends: rubbish, and messages of each kind with something wrong."""

import json
import random
from typing import Any, get_args

from softshell_dashboard.messages import LONGEST, Message

#: The fields of each kind of messages but its type, by that.
FIELDS = {
    get_args(kind.model_fields['type'].annotation)[0]: [*kind.model_fields][1:]
    for kind in get_args(Message)
}
#: No messages, whatever is read of them.
RUBBISH = (
    '', ' ', 'null', '[]', '[{"type": "take"}]', '{', '"take"', 'NaN', '1e400', 'type: take',
    '\x00', 'ümläut\n\x1b[2J', '[' * 5000, 'x' * (LONGEST + 1), '{}', '{"type": null}',
    '{"type": ["hold"]}', '{"type": "fly"}', '{"type": "take"', '{"type": "hold", "stick": [1,',
)  # fmt: skip
#: Values that some field may have, and those that none may.
VALUES = (
    'walk', 'emergency_stop', 'robot', 0.0, 1.0, -1e3, True, ['forward'], [1.0, 0.0, 0.0],
    {'distance': 1.0}, '{sphere: {radius: 0.1}}',
)  # fmt: skip
WRONG = (None, {'': None}, [[]], float('nan'), float('inf'))
#: Names that there are not, in messages that are right otherwise.
UNKNOWN = (
    {'type': 'hold', 'commands': ['hop']},
    {'type': 'key', 'key': 'no key'},
    {'type': 'gait', 'name': 'hop'},
    {'type': 'perform', 'action': 'fly', 'parameters': {'distance': 1.0}},
    {'type': 'perform', 'action': 'walk', 'parameters': {'hops': 1.0}},
)


def made_up(chance: random.Random) -> str:
    """A message that has to be refused, also that of a page that drives."""
    how = chance.random()
    if how < 0.3:
        return chance.choice(RUBBISH)
    if how < 0.5:
        return json.dumps(chance.choice(UNKNOWN))
    kind = chance.choice([*FIELDS])
    content: dict[str, Any] = {'type': kind}
    content |= {name: chance.choice(VALUES) for name in FIELDS[kind]}
    content[chance.choice([*FIELDS[kind], 'unknown'])] = chance.choice(WRONG)
    return json.dumps(content)
