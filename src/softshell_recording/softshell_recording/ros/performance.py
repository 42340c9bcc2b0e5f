"""Performs a scenario on a running stack and records it."""

import time
from collections.abc import Callable

from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell, Status
from softshell_common.ros.context import new_context
from softshell_kinematics.errors import SoftshellError
from softshell_recording.recording import Run, StepRun
from softshell_recording.ros.recorder import Recorder
from softshell_recording.scenario import Scenario

Tell = Callable[[str], None]
#: Called with a step in words and its progress from 0 to 1, from the spinning thread.
Show = Callable[[str, float], None]


def perform_scenario(
    scenario: Scenario, stack: Stack, begun: float, tell: Tell, show: Show
) -> Run:
    """Perform all steps, or those before the first that fails.

    Args:
        scenario: what to perform.
        stack: which is ready.
        begun: `time.monotonic()` when the start of the stack began.
        tell: takes a line about each step, after it.
        show: takes the progress of the step that runs.

    Raises:
        ProblemsError: the robot does not have an action or a parameter; nothing has moved.
        SoftshellError: nothing could be recorded, or ROS cannot be initialised.
    """
    namespace = str(stack.arguments['namespace']).strip('/')
    context = new_context(stack.domain)
    try:
        recorder = Recorder(context, namespace)
        try:
            recorder.wait_for_messages()
            with Shell(namespace, context=context) as robot:
                robot.wait_for_joints()
                actions = robot.actions()
                scenario.require({one.name: [p.name for p in one.parameters] for one in actions})
                performance = _Performance(robot, stack, tell, show)
                performance.perform(scenario)
        finally:
            recorder.close()
        first = performance.first_motion
        return Run(
            recording=recorder.recording(),
            steps=tuple(performance.steps),
            wall=performance.wall,
            first_motion=None if first is None else first - begun,
            failure=performance.failure,
        )
    finally:
        context.try_shutdown()


class _Performance:
    """Performs steps and notes when each ran."""

    def __init__(self, robot: Shell, stack: Stack, tell: Tell, show: Show) -> None:
        self._robot, self._stack, self._tell, self._show = robot, stack, tell, show
        self._told = ''
        self.steps: list[StepRun] = []
        self.wall = 0.0
        self.first_motion: float | None = None
        self.failure = ''

    def perform(self, scenario: Scenario) -> None:
        width, count = max(len(step.action) for step in scenario.steps), len(scenario.steps)
        begun = time.monotonic()
        for number, step in enumerate(scenario.steps, 1):
            place = f'{number:{len(str(count))}} of {count}'
            self._told = f'  {place}  {step.action:{width}} {step.told:16}'
            self._show(self._told, 0.0)
            start = self._robot.time
            try:
                self._robot.perform(
                    step.action, self._on_feedback, gait=step.gait, queue=False, **step.parameters
                )
                self._stack.check()
            except ActionFailedError as error:
                # Shell raises it so for Ctrl-C; the page in the browser cancels as well.
                interrupted = isinstance(error.__context__, KeyboardInterrupt)
                if interrupted and error.status is Status.CANCELED:
                    raise KeyboardInterrupt from None
                self.failure = str(error)
            except SoftshellError as error:
                self.failure = str(error)
            end = self._robot.time
            self.steps.append(StepRun(step.action, start, end))
            what = self.failure and ' failed'
            self._tell(f'{self._told} {end - start:6.1f} s{what}')
            if self.failure:
                break
        self.wall = time.monotonic() - begun

    def _on_feedback(self, sub_action: str, progress: float) -> None:
        if self.first_motion is None:
            self.first_motion = time.monotonic()
        self._show(self._told, progress)
