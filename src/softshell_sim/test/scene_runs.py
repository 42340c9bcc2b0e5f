"""Scenes that go on for a while."""

import numpy as np


def run(scene, seconds):
    """Let time pass [s]."""
    for _ in range(round(seconds / scene.engine.time_step)):
        scene.step()


def trace(scene, seconds=0.3):
    """Let time pass [s]; every digit of where all bodies are after each step."""
    rows = []
    for _ in range(round(seconds / scene.engine.time_step)):
        scene.step()
        for name in scene.engine.bodies:
            state = scene.state(name)
            rows += [state.position, state.orientation, state.linear_velocity]
    return np.concatenate(rows).tobytes()
