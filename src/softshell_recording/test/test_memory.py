"""The latest messages, in memory."""

from hypothesis import given
from hypothesis import strategies as st

from softshell_recording.memory import LATCHED_DEPTH, Memory
from softshell_recording.topic import Message, Topic

STREAM, LATCHED = Topic('/stream', 'a/msg/A'), Topic('/latched', 'a/msg/B', latched=True)
SECOND = 10**9


def filled(messages, duration=3.0, most=10**6):
    memory = Memory(duration, most)
    for message in messages:
        memory.add(message)
    return memory


@given(st.lists(st.tuples(st.sampled_from([STREAM, LATCHED]), st.integers(0, SECOND)), min_size=1))
def test_all_of_the_last_while_is_kept_in_order(parts):
    """And nothing older, but the last of those that are latched, which come first."""
    stamp, messages = 0, []
    for topic, later in parts:
        stamp += later
        messages.append(Message(topic, stamp, b'x'))
    recent = [one for one in messages if one.stamp >= stamp - 3 * SECOND]
    before = [one for one in messages if one not in recent and one.topic.latched]
    assert filled(messages).messages() == before[-LATCHED_DEPTH:] + recent


@given(st.lists(st.integers(1, 60), min_size=1))
def test_it_takes_no_more_room_than_it_is_given(sizes):
    """Whatever comes; the newest that fit are there."""
    messages = [Message(STREAM, k, bytes(size)) for k, size in enumerate(sizes)]
    memory = filled(messages, most=100)
    kept = memory.messages()
    assert memory.size == sum(len(one.data) for one in kept) <= 100
    assert kept == messages[len(messages) - len(kept) :]
    if len(kept) < len(messages):
        assert memory.size + sizes[len(messages) - len(kept) - 1] > 100
