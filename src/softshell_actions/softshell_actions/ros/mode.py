"""Looks at a robot: measured anew once it is driven again; the topic `mode` if it has a cage."""

from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from std_msgs.msg import String

from softshell_actions.facts import mode_of
from softshell_actions.performing.performer import Performer
from softshell_common.ros import qos

#: Period in which the robot is looked at [s, wall].
LOOK_PERIOD = 0.1


class Watch:
    """Has a robot measured anew once its joints, which were not driven, are driven again.

    Args:
        node: runs the looks.
        performer: knows the state.
        known: tells whether the joints are driven; if not, they may be moved by hand.
        busy: tells whether a command is under way, which learns of that by itself.
        measure: starts a measurement of the state, unless one is under way.
        tells_mode: whether it also publishes `mode`, latched, at each change.
    """

    def __init__(
        self,
        node: Node,
        performer: Performer,
        known: Callable[[], bool],
        busy: Callable[[], bool],
        measure: Callable[[], None],
        tells_mode: bool,
    ) -> None:
        self._performer, self._busy, self._measure = performer, busy, measure
        self._lost, self._mode = False, ''
        self._publisher = (
            node.create_publisher(String, 'mode', qos.LATCHED) if tells_mode else None
        )
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(LOOK_PERIOD, lambda: self.look(known()), clock=steady)

    def look(self, known: bool) -> None:
        """Look at the robot, whose joints are driven or not, as `known` tells."""
        if not known:
            self._lost = True
            if not self._busy():
                self._performer.forget()
        elif self._lost and self._performer.known_facts is None:
            self._measure()  # again and again: it fails while time stands still
        else:
            self._lost = False
        if self._publisher is not None:
            self._tell_mode(known, self._publisher)

    def _tell_mode(self, known: bool, publisher: Publisher) -> None:
        facts, runs = self._performer.known_facts, self._performer.running is not None
        if known and facts is None and not runs and self._mode:
            self._measure()  # the mode stays until then
            return
        mode = mode_of(facts if known else None, runs)
        if mode != self._mode:
            self._mode = mode
            publisher.publish(String(data=mode))
