"""Trajectories that are cancelled or stopped before their end."""

from follower_rig import (
    ACTIVE,
    BLOWN,
    CANCELLED,
    REACHED,
    STOPPED,
    WAITING,
    Rig,
    make,
    whose,
)

from softshell_control.trajectories.trajectory import Identity


def test_cancel_of_the_active_one_holds():
    """The trajectory ends as STOPPED with the reason; the joints want what they were told last."""
    rig = Rig()
    rig.offer(make(1, 1.0, 0.5))
    rig.run(50)
    here = rig.command.copy()
    rig.cancel(1)
    rig.run(50)
    assert rig.story() == [(1, ACTIVE), (1, STOPPED)]
    assert rig.event(1, STOPPED).reasons == (CANCELLED,)
    assert 0.0 < here[0] < 0.5
    assert rig.follower.value.tolist() == here.tolist()
    assert rig.follower.rate.tolist() == [0.0, 0.0]


def test_cancel_of_the_active_one_lets_the_queued_one_start():
    """What waited for its turn starts from where the joints are."""
    rig = Rig()
    rig.offer(make(1, 1.0, 0.5))
    rig.offer(make(2, 0.02, 0.1, queued=True))
    rig.run(50)
    rig.cancel(1)
    rig.run(10)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (1, STOPPED), (2, ACTIVE), (2, REACHED)]


def test_cancel_of_the_waiting_one_leaves_the_active_one_alone():
    """The active trajectory is reached as if the other had never been."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.5))
    rig.offer(make(2, 0.02, 0.1, queued=True))
    rig.run(2)
    rig.cancel(2)
    rig.run(10)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (2, STOPPED), (1, REACHED)]
    assert rig.event(2, STOPPED).reasons == (CANCELLED,)
    assert rig.follower.value[0] == 0.5


def test_cancel_of_an_unknown_one_does_nothing():
    """Neither one that never was nor one that has ended is stopped again, nor is any other."""
    rig = Rig()
    rig.cancel(7)
    rig.offer(make(1, 0.02, 0.5))
    rig.cancel(7)
    rig.run(10)
    rig.cancel(1)
    assert rig.story() == [(1, ACTIVE), (1, REACHED)]


def test_same_number_of_another_sender_is_another_trajectory():
    """A cancellation is for one sender's trajectory: another with the same id goes on."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.5))
    stranger = Identity('stranger', whose(1).id)
    rig.follower.cancel(stranger, rig.command, CANCELLED)
    rig.run(10)
    assert rig.story() == [(1, ACTIVE), (1, REACHED)]


def test_hold_stops_everything_with_the_reason():
    """What is active and what waits end as STOPPED, and nothing is executing any more."""
    rig = Rig()
    rig.offer(make(1, 1.0, 0.5))
    rig.offer(make(2, 1.0, 0.1, queued=True))
    rig.run(50)
    here = rig.command.copy()
    rig.hold(BLOWN)
    rig.run(50)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (2, STOPPED), (1, STOPPED)]
    assert {event.reasons for _, event in rig.events[2:]} == {(BLOWN,)}
    assert rig.follower.value.tolist() == here.tolist()
    assert not rig.follower.executing(rig.now)
