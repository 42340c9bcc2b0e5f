"""The pictures of the gallery, and the command that makes each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Exhibit:
    """A picture of the gallery.

    Args:
        name: name of its file, without the suffix.
        command: what a user types after `./softshell`.
        caption: what it shows.
        begin: where in the command's video the loop begins, as a part of the whole, 0 to 1.
        seconds: length of the part of the video that it shows [s].
        speed: speed of the loop over that of the video.
        video: name of the video in the command's output folder.
    """

    name: str
    command: str
    caption: str
    begin: float = 0.0
    seconds: float = 6.0
    speed: float = 2.0
    video: str = 'demo.mp4'


EXHIBITS = (
    Exhibit('walk', 'demo', 'stands up and walks', begin=0.1, seconds=8.0),
    Exhibit('tour', 'demo --scenario tour', 'closes into a ball, rolls, and stands up again',
            begin=0.5, seconds=16.0, speed=3.0),
    Exhibit('rough', 'demo --scenario rough', 'over rubble and up a ramp, its base level',
            begin=0.3, seconds=12.0, speed=3.0),
    Exhibit('grasp', 'demo --scenario grasp', 'six soft fingers pick a ball up and carry it',
            begin=0.45, seconds=14.0, speed=3.0),
    Exhibit('hand', 'soft hand-cube', 'four soft fingers turn a cube', seconds=8.0,
            video='hand-cube-mujoco.mp4'),
    Exhibit('snake', 'soft snake', 'slithers by friction that is less along it than across',
            seconds=8.0, video='snake-mujoco.mp4'),
    Exhibit('quadruped', 'demo robot:=quadruped', 'another robot: data, not code', begin=0.2,
            seconds=8.0),
    Exhibit('ant', 'demo robot:=examples/my_robot_pkg/robots/ant',
            'a robot of your own, from a package to copy', begin=0.2, seconds=8.0),
)  # fmt: skip
#: The page in the browser: a still picture, not a loop.
PAGE = Exhibit(
    'dashboard', 'up gui:=web params_file:=examples/terrain.yaml',
    'watch and drive it in a browser',
)  # fmt: skip
