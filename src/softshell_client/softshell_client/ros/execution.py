"""An action that the robot performs."""

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle

from softshell_client.errors import ActionFailedError
from softshell_client.ros.asking import Asker
from softshell_common.outcome import Status
from softshell_interfaces.action import ExecuteAction

#: Called with the name of the running sub-action and the progress from 0 to 1.
OnFeedback = Callable[[str, float], None]


class Execution:
    """An action that was asked for and may not have ended yet.

    Args:
        asker: sends the goal.
        client: client of `execute_action`.
        goal: the action, its parameters and its gait.
        check: called repeatedly; raises SoftshellError if no result can come.
        on_feedback: called with each sub-action and the progress, in the spinning thread.

    Attributes:
        name: name of the action.
        sub_action: name of the sub-action that runs; empty before the first.
        progress: progress of the whole action, from 0 to 1.
    """

    def __init__(
        self,
        asker: Asker,
        client: ActionClient,
        goal: ExecuteAction.Goal,
        check: Callable[[], None],
        on_feedback: OnFeedback | None = None,
    ) -> None:
        self._asker, self._client, self._on_feedback = asker, client, on_feedback
        self.name, self.sub_action, self.progress = goal.name, '', 0.0
        self._goal = goal
        self._handle: ClientGoalHandle | None = None
        self._is_cancelled = False
        self._question = asker.ask(self._execute, check)

    def done(self) -> bool:
        """Whether it has ended: `result` then does not wait."""
        return self._question.done()

    def result(self) -> float:
        """Wait until the action has ended.

        Returns:
            Its duration [s], in simulated time if there is any.

        Raises:
            ActionFailedError: the action did not succeed.
            ServerGoneError: the action manager or the bridge ended before the action did.
            SoftshellError: ROS was shut down, or the client closed.
        """
        result = self._question.answer()
        status = Status(result.outcome.status)
        if status is not Status.SUCCEEDED:
            raise ActionFailedError(self.name, status, result.outcome.message)
        return result.duration

    def cancel(self) -> None:
        """Ask the robot to rest at the end of a sub-action; the status is then CANCELED."""
        self._is_cancelled = True
        self._asker.do(self._cancel)

    def _cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel_goal_async()

    async def _execute(self) -> ExecuteAction.Result:
        handle = await self._client.send_goal_async(self._goal, self._on_message)
        if not handle.accepted:
            text = 'the action manager takes no goals any more: it is ending'
            raise ActionFailedError(self.name, Status.NOT_READY, text)
        self._handle = handle
        if self._is_cancelled:
            self._cancel()
        return (await handle.get_result_async()).result

    def _on_message(self, message: Any) -> None:
        self.sub_action, self.progress = message.feedback.sub_action, message.feedback.progress
        if self._on_feedback is not None:
            self._on_feedback(self.sub_action, self.progress)
