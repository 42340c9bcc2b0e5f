"""Runs that tests make up."""

import numpy as np

from softshell_recording.recording import BasePath, Recording, Run, StepRun


def planar_base(x, y, yaw, pitch=0.0):
    """(samples,) places [m], headings and pitches [rad], or numbers, as a BasePath 0.1 m high."""
    x, y, yaw, pitch = np.broadcast_arrays(
        *(np.asarray(value, dtype=float) for value in (x, y, yaw, pitch))
    )
    half_yaw, half_pitch = yaw / 2, pitch / 2
    orientations = np.column_stack(
        [
            -np.sin(half_yaw) * np.sin(half_pitch),
            np.cos(half_yaw) * np.sin(half_pitch),
            np.sin(half_yaw) * np.cos(half_pitch),
            np.cos(half_yaw) * np.cos(half_pitch),
        ]
    )
    return BasePath(np.column_stack([x, y, np.full(len(x), 0.1)]), orientations)


def walked(base, failure=''):
    """A run of 11 samples, one a second: `rest` for 2 s, then `go` for 8 s; one joint of two is
    commanded, and 0.1 rad off."""
    times = np.arange(11.0)
    joints = np.column_stack([times, times])
    commands = np.column_stack([times - 0.1, np.full(11, np.nan)])
    recording = Recording(times, ('a', 'b'), joints, commands, base)
    steps = (StepRun('rest', 0.0, 2.0), StepRun('go', 2.0, 10.0))
    return Run(recording, steps, wall=4.0, first_motion=2.5, failure=failure)
