"""What the gallery shows, and the command that makes each picture."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Exhibit:
    """A picture of the gallery.

    Args:
        name: of its file.
        command: what a user types after `./softshell`.
        caption: what is to be seen.
        begin: where in the command's video the loop begins, as part of the whole.
        seconds: of the video that it shows.
        speed: how many times as fast as in the video it goes.
        video: the file that the command writes into its output folder.
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
            begin=0.5, seconds=14.0, speed=3.0),
    Exhibit('hand', 'soft hand-cube', 'four soft fingers turn a cube', seconds=8.0,
            video='hand-cube-mujoco.mp4'),
    Exhibit('snake', 'soft snake', 'slithers by friction that is less along it than across',
            seconds=8.0, video='snake-mujoco.mp4'),
    Exhibit('quadruped', 'demo robot:=quadruped', 'another robot: data, not code', begin=0.2,
            seconds=8.0),
    Exhibit('ant', 'demo robot:=examples/my_robot_pkg/robots/ant',
            'a robot of your own, from a package to copy', begin=0.2, seconds=8.0),
)  # fmt: skip
#: The page in the browser is shown as it stands there, not as a loop.
PAGE = Exhibit('dashboard', 'up gui:=web', 'watch and drive it in a browser')
