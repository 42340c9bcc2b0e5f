"""Bad messages in a soak: all the time, in a time of their own, and to servos."""

from collections.abc import Callable
from dataclasses import dataclass

from _fuzzer import ACTIONS, OF_SERVOS, SERVICES, TOPICS, UNDOING, WORLD_SERVICES, Fuzzer
from _soak_record import Record
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient

from softshell_client import Shell
from softshell_description.load import load_robot

#: What is sent to all the time but for its end: a stop, a reset, or another parameter at any time
#: is no fault.
APART = (
    *('bridge/set_parameters', 'kinematics/set_parameters', 'bridge/deactivate', 'bridge/reset'),
    *('bridge/emergency_stop', 'bridge/pause'),
)
#: What lets time and the robot go on, so that the next of `APART` meets one that does.
GOING_ON = ('bridge/resume', 'bridge/clear_fault', 'bridge/activate')
ALL_THE_TIME = (
    *TOPICS,
    *(each for each in (*SERVICES, *WORLD_SERVICES) if each[1] not in APART),
    *ACTIONS,
)
IN_THE_END = (*UNDOING, *(each for each in SERVICES if each[1] in (*APART, *GOING_ON)))
#: Parameters that names of the fuzzer mean, with the values that they have otherwise.
PARAMETERS = {'bridge': ('real_time_factor', 1.0), 'kinematics': ('tolerance', 1e-8)}
PATIENCE = 20.0  # [s, wall] for an answer


@dataclass
class Messages:
    """Sends the messages of a fuzzer, and notes what became of them.

    Args:
        fuzzer: that sends.
        what: they are counted as.
        record: told of how many, and of what goes wrong.
        check: called while answers are waited for; raises if that is in vain.
    """

    fuzzer: Fuzzer
    what: str
    record: Record
    check: Callable[[], None]

    def send(self, number: int) -> None:
        """Send as many as are missing of a number in all."""
        for _ in range(number - self.fuzzer.sent):
            self.fuzzer.send(self.check)
        self.fuzzer.spin(0.2)
        self.record.counts[self.what] = self.fuzzer.sent

    def end(self) -> None:
        """Wait for the last answers, and note how many there were."""
        fuzzer, counts, problems = self.fuzzer, self.record.counts, self.record.problems
        fuzzer.wait(self.check)
        counts['requests among them'] += fuzzer.asked
        counts['answered'] += fuzzer.answered
        if fuzzer.open:
            names = ', '.join(sorted(set(fuzzer.open.values())))
            problems.append(f'{len(fuzzer.open)} requests were not answered, to {names}')
        if fuzzer.not_finite:
            problems.append(f'{fuzzer.not_finite} joint states were not finite')
        fuzzer.close()


def all_the_time(robot: Shell, seed: int, record: Record, check: Callable[[], None]) -> Messages:
    """Messages to a simulated robot while it does this and that.

    Args:
        robot: some of whose names are sent.
        seed: of the random numbers.
        record, check: see `Messages`.
    """
    fuzzer = Fuzzer(robot.node.context, load_robot(), seed, ALL_THE_TIME)
    return Messages(fuzzer, 'bad messages', record, check)


def to_servos(robot: Shell, seed: int, record: Record, check: Callable[[], None]) -> Messages:
    """Messages that only emulated servos and their bridge take; arguments as `all_the_time`."""
    fuzzer = Fuzzer(robot.node.context, load_robot(), seed, OF_SERVOS)
    return Messages(fuzzer, 'bad messages to servos', record, check)


def in_the_end(
    robot: Shell, seed: int, record: Record, check: Callable[[], None], rounds: int
) -> None:
    """Stop, reset and set parameters at any time, to no end; then have the robot as it was.

    Args:
        robot, seed, record, check: see `all_the_time`.
        rounds: how often each is sent.
    """
    record.did('stops and resets')
    fuzzer = Fuzzer(robot.node.context, load_robot(), seed, IN_THE_END)
    messages = Messages(fuzzer, 'bad messages in the end', record, check)
    messages.send(rounds * len(IN_THE_END))
    fuzzer.resume()
    messages.end()
    for node, (name, value) in PARAMETERS.items():
        client = AsyncParameterClient(robot.node, node)
        future = client.set_parameters([Parameter(name, value=value)])
        if not record.comes(future, PATIENCE) or not future.result().results[0].successful:
            record.problems.append(f'{name} of {node} cannot be set: {future.result()}')
    robot.reset()
    robot.activate()
