"""The settings of the law that rolls the ball."""

from dataclasses import dataclass

import numpy as np

from softshell_description.command_rates import ACCELERATION


@dataclass(frozen=True)
class Settings:
    """Settings of the law.

    Args:
        period: of a tick [s].
        ahead: how far the law looks ahead [s].
        hold, rest: how long a panel stays open, and closed after that [s].
        again: how long a panel that still pushes stays open at least [s].
        lasting: lever above which an open panel still pushes [m].
        sideways: weight of the distance of a push to the side.
        speed: of a joint at most [rad/s].
        acceleration: of a joint at most [rad/s^2].
        lead: largest distance of a joint's goal from its position [rad]: there a panel that is
            held back has its full torque; further away its motor might count as blocked.
        least_lever: least lever of a push behind the centre [m].
        least_gain: least gain of a push: its lever less the weighted distance to the side [m].
        most_open: most panels that are open at once.
        slow: speed below which more and weaker pushes are made, to start the ball [m/s].
        slow_gain, slow_open: `least_gain` and `most_open` of a slow ball.
        cruise: speed above which it is not pushed on [m/s].
        still: speed below which the ball rests, also that of its surface [m/s].
        catch: speed below which all panels open, so that the ball comes to rest on them [m/s].
        catch_upright: the same if the base is to be upright [m/s].
        slack: how much more than `upright` it may tilt on its opened panels [rad].
        level: largest tilt of a righted ball at rest [rad].
        settle: for how long it has to be still to count as at rest [s]: a ball that turns back
            on an edge is slow for a while, too.
        askew: for how long it has to be still until one that is to be upright, and is tilted,
            tries again [s].
        retry: for how long its panels close then [s].
        patience: time without progress after which the ball is stuck [s].
        progress: way in this time that counts as progress [m].
        righted: change of tilt in this time that counts as progress while it is righted [rad].
        bloom: for how long all panels open if it is stuck [s].
        upright: tilt below which the base is upright [rad].
        righting: largest speed while it is righted [m/s].
        gentle_speed: speed of a joint at most of a panel that pushes to right the ball [rad/s].
    """

    period: float = 0.01
    ahead: float = 0.10
    hold: float = 0.33
    rest: float = 0.05
    again: float = 0.03
    lasting: float = 0.015
    sideways: float = 0.7
    speed: float = 4.6
    acceleration: float = ACCELERATION
    lead: float = 0.35
    least_lever: float = 0.02
    least_gain: float = 0.02
    most_open: int = 4
    slow: float = 0.25
    slow_gain: float = -0.05
    slow_open: int = 5
    cruise: float = 0.9
    still: float = 0.05
    catch: float = 0.45
    catch_upright: float = 0.40
    slack: float = np.radians(10.0)
    level: float = np.radians(6.0)
    settle: float = 1.0
    askew: float = 0.6
    retry: float = 0.4
    patience: float = 1.0
    progress: float = 0.20
    righted: float = 0.2
    bloom: float = 0.5
    upright: float = np.radians(28.0)
    righting: float = 0.4
    gentle_speed: float = 2.0
