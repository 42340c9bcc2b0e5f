"""Looks at a robot: measured anew once it is driven again; the topic `mode` if it has a cage."""

from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
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
    """

    def __init__(
        self,
        node: Node,
        performer: Performer,
        known: Callable[[], bool],
        busy: Callable[[], bool],
        measure: Callable[[], None],
    ) -> None:
        self._performer, self._busy, self._measure = performer, busy, measure
        self._lost = False
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


class ModeStream(Watch):
    """Watches a robot with a cage, and publishes its `mode`, latched.

    Args:
        node: publishes.
        performer, known, busy, measure: as of `Watch`.
    """

    def __init__(
        self,
        node: Node,
        performer: Performer,
        known: Callable[[], bool],
        busy: Callable[[], bool],
        measure: Callable[[], None],
    ) -> None:
        super().__init__(node, performer, known, busy, measure)
        self._publisher = node.create_publisher(String, 'mode', qos.LATCHED)
        self._mode = ''

    def look(self, known: bool) -> None:
        """Look at the robot, and publish its mode if that has changed."""
        super().look(known)
        facts, runs = self._performer.known_facts, self._performer.running is not None
        if known and facts is None and not runs and self._mode:
            self._measure()  # the mode stays until then
            return
        mode = mode_of(facts if known else None, runs)
        if mode != self._mode:
            self._mode = mode
            self._publisher.publish(String(data=mode))
