"""Kinematics of serial and parallel robots.

from softshell_kinematics import DhRow, IkOptions, chain_from_dh, solve_ik

arm = chain_from_dh('arm', [DhRow(0, 0.1, 0, 0.3, 'shoulder'), DhRow(0, 0, 0, 0.2, 'elbow')])
result = solve_ik(arm, [0.3, 0.2, nan, nan, nan, nan])     # NaN: a free coordinate
result.q, result.status, result.residual                    # of one goal: (2,), and numbers
"""

from typing import TYPE_CHECKING

from softshell_kinematics.lazy import lazy_names

#: The public names, by module. A module is imported when one of its names is first used, so that
#: a program that only needs the errors or the rotations does not load the compiler.
_MODULES = {
    'errors': (
        'NonFiniteError', 'OutOfRangeError', 'ProblemsError', 'SoftshellError', 'UnknownNameError',
    ),
    'legged.base_workspace': ('BaseReach', 'base_reach'),
    'legged.stability': ('static_margin', 'support_polygon'),
    'model.chain': ('SerialChain',),
    'model.from_dh': ('DhRow', 'chain_from_dh'),
    'model.from_screws': ('Screw', 'chain_from_screws'),
    'model.from_urdf': ('chain_from_urdf', 'chains_to_leaves'),
    'model.joint': ('Coupling', 'Joint', 'JointKind'),
    'model.mechanism': ('ParallelMechanism',),
    'model.urdf': ('Urdf',),
    'model.urdf_reader': ('parse_urdf', 'read_urdf'),
    'solving.goals': ('Goals',),
    'solving.inverse': ('solve_ik',),
    'solving.jacobian': ('analytic_jacobian', 'geometric_jacobian'),
    'solving.limbs': ('Limbs',),
    'solving.mechanism_search': ('MechanismResult', 'MechanismSearch'),
    'solving.search': ('Search',),
    'solving.shortfall': ('Shortfall', 'first_shortfall', 'shortfall_of'),
    'solving.solution': ('IkOptions', 'IkResult', 'IkStatus', 'LimbsResult'),
    'transforms': (
        'COORDINATES', 'coordinates_from_pose', 'inverse', 'pose_from_coordinates',
        'quaternion_from_rotation', 'rotation_about', 'rotation_from_angles',
        'rotation_from_quaternion', 'transform',
    ),
}  # fmt: skip
__getattr__, __dir__, __all__ = lazy_names(__name__, _MODULES)

if TYPE_CHECKING:
    from softshell_kinematics.errors import NonFiniteError as NonFiniteError
    from softshell_kinematics.errors import OutOfRangeError as OutOfRangeError
    from softshell_kinematics.errors import ProblemsError as ProblemsError
    from softshell_kinematics.errors import SoftshellError as SoftshellError
    from softshell_kinematics.errors import UnknownNameError as UnknownNameError
    from softshell_kinematics.legged.base_workspace import BaseReach as BaseReach
    from softshell_kinematics.legged.base_workspace import base_reach as base_reach
    from softshell_kinematics.legged.stability import static_margin as static_margin
    from softshell_kinematics.legged.stability import support_polygon as support_polygon
    from softshell_kinematics.model.chain import SerialChain as SerialChain
    from softshell_kinematics.model.from_dh import DhRow as DhRow
    from softshell_kinematics.model.from_dh import chain_from_dh as chain_from_dh
    from softshell_kinematics.model.from_screws import Screw as Screw
    from softshell_kinematics.model.from_screws import chain_from_screws as chain_from_screws
    from softshell_kinematics.model.from_urdf import chain_from_urdf as chain_from_urdf
    from softshell_kinematics.model.from_urdf import chains_to_leaves as chains_to_leaves
    from softshell_kinematics.model.joint import Coupling as Coupling
    from softshell_kinematics.model.joint import Joint as Joint
    from softshell_kinematics.model.joint import JointKind as JointKind
    from softshell_kinematics.model.mechanism import ParallelMechanism as ParallelMechanism
    from softshell_kinematics.model.urdf import Urdf as Urdf
    from softshell_kinematics.model.urdf_reader import parse_urdf as parse_urdf
    from softshell_kinematics.model.urdf_reader import read_urdf as read_urdf
    from softshell_kinematics.solving.goals import Goals as Goals
    from softshell_kinematics.solving.inverse import solve_ik as solve_ik
    from softshell_kinematics.solving.jacobian import analytic_jacobian as analytic_jacobian
    from softshell_kinematics.solving.jacobian import geometric_jacobian as geometric_jacobian
    from softshell_kinematics.solving.limbs import Limbs as Limbs
    from softshell_kinematics.solving.mechanism_search import MechanismResult as MechanismResult
    from softshell_kinematics.solving.mechanism_search import MechanismSearch as MechanismSearch
    from softshell_kinematics.solving.search import Search as Search
    from softshell_kinematics.solving.shortfall import Shortfall as Shortfall
    from softshell_kinematics.solving.shortfall import first_shortfall as first_shortfall
    from softshell_kinematics.solving.shortfall import shortfall_of as shortfall_of
    from softshell_kinematics.solving.solution import IkOptions as IkOptions
    from softshell_kinematics.solving.solution import IkResult as IkResult
    from softshell_kinematics.solving.solution import IkStatus as IkStatus
    from softshell_kinematics.solving.solution import LimbsResult as LimbsResult
    from softshell_kinematics.transforms import COORDINATES as COORDINATES
    from softshell_kinematics.transforms import coordinates_from_pose as coordinates_from_pose
    from softshell_kinematics.transforms import inverse as inverse
    from softshell_kinematics.transforms import pose_from_coordinates as pose_from_coordinates
    from softshell_kinematics.transforms import (
        quaternion_from_rotation as quaternion_from_rotation,
    )
    from softshell_kinematics.transforms import rotation_about as rotation_about
    from softshell_kinematics.transforms import rotation_from_angles as rotation_from_angles
    from softshell_kinematics.transforms import (
        rotation_from_quaternion as rotation_from_quaternion,
    )
    from softshell_kinematics.transforms import transform as transform
