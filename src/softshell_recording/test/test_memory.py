"""The latest messages, in memory."""

from hypothesis import given
from hypothesis import strategies as st

from softshell_recording.memory import LATCHED_DEPTH, Memory
from softshell_recording.topic import Message, Topic

STREAM, LATCHED = Topic('/stream', 'a/msg/A'), Topic('/latched', 'a/msg/B', latched=True)
OTHER = Topic('/other', 'a/msg/B', latched=True)
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


@given(
    st.lists(
        st.tuples(
            st.sampled_from([STREAM, LATCHED, OTHER]),
            st.integers(0, 2 * SECOND),
            st.integers(1, 120),
        ),
        min_size=1,
    )
)
def test_older_latched_messages_take_no_more_room_either(parts):
    """All that is kept counts, in time and order; the newest that fits is there."""
    stamp, messages, memory = 0, [], Memory(3.0, 100)
    for topic, later, size in parts:
        stamp += later
        messages.append(Message(topic, stamp, bytes(size)))
        memory.add(messages[-1])
        kept = memory.messages()
        assert memory.size == sum(len(one.data) for one in kept) <= 100
        assert len({*map(id, kept)}) == len(kept)
        assert [one.stamp for one in kept] == sorted(one.stamp for one in kept)
        if size <= 50:
            assert messages[-1] in kept


def test_large_latched_messages_are_dropped_when_others_follow():
    """Three topics of 0.9 MB each fit into 1 MB once, and leave room for what is new."""
    topics = [Topic(f'/map_{k}', 'a/msg/C', latched=True) for k in range(3)]
    memory = Memory(30.0, 1_000_000)
    for k in range(100):
        memory.add(Message(topics[k % 3], 10 * k * SECOND, bytes(900_000)))
        memory.add(Message(STREAM, 10 * k * SECOND, bytes(1000)))
        assert memory.size == sum(len(one.data) for one in memory.messages()) <= 1_000_000
        assert memory.messages()[-1].topic is STREAM


def test_a_stream_does_not_push_out_what_it_is_understood_by():
    """The last message of a latched topic stays, however much comes after it."""
    description = Message(LATCHED, 0, bytes(30))
    stream = [Message(STREAM, k * SECOND, bytes(20)) for k in range(1, 50)]
    assert filled([description, *stream], most=100).messages() == [description, *stream[-3:]]
