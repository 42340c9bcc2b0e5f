"""The topic `mode`: the mode of a robot with a cage, published at each change."""

from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import String

from softshell_actions.facts import mode_of
from softshell_actions.performing.performer import Performer
from softshell_common.ros import qos

#: Period in which the mode is determined [s, wall].
LOOK_PERIOD = 0.1


class ModeStream:
    """Publishes `mode`, latched, of a robot with a cage.

    Args:
        node: publishes.
        performer: knows the state.
        known: tells whether the joints are driven; if not, they may be moved by hand.
        busy: tells whether a command is under way, which learns of that by itself.
        measure: starts a measurement of the state, unless one is under way.
    """

    def __init__(
        self,
        node: Node,
        performer: Performer,
        known: Callable[[], bool],
        busy: Callable[[], bool],
        measure: Callable[[], None],
    ) -> None:
        self._performer, self._known, self._measure = performer, known, measure
        self._busy = busy
        self._publisher = node.create_publisher(String, 'mode', qos.LATCHED)
        self._mode, self._lost = '', False
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(LOOK_PERIOD, self._look, clock=steady)

    def _look(self) -> None:
        performer = self._performer
        known = self._known()
        if not known:
            if not self._busy():
                performer.forget()
        elif self._lost:
            self._measure()
        self._lost = not known
        facts, runs = performer.known_facts, performer.running is not None
        if known and facts is None and not runs and self._mode:
            self._measure()  # the mode stays until then
            return
        mode = mode_of(facts if known else None, runs)
        if mode != self._mode:
            self._mode = mode
            self._publisher.publish(String(data=mode))
