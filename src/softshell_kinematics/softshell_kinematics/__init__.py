"""Kinematics of serial and parallel robots.

from softshell_kinematics import DhRow, IkOptions, chain_from_dh, solve_ik

arm = chain_from_dh('arm', [DhRow(0, 0.1, 0, 0.3, 'shoulder'), DhRow(0, 0, 0, 0.2, 'elbow')])
result = solve_ik(arm, [0.3, 0.2, nan, nan, nan, nan])     # NaN: a free coordinate
result.q, result.status, result.residual
"""

from softshell_kinematics.base_workspace import BaseReach, base_reach
from softshell_kinematics.chain import SerialChain
from softshell_kinematics.from_dh import DhRow, chain_from_dh
from softshell_kinematics.from_screws import Screw, chain_from_screws
from softshell_kinematics.from_urdf import chain_from_urdf
from softshell_kinematics.jacobian import analytic_jacobian, geometric_jacobian
from softshell_kinematics.joint import Coupling, Joint, JointKind
from softshell_kinematics.limbs import Limbs, solve_ik
from softshell_kinematics.mechanism import MechanismResult, ParallelMechanism
from softshell_kinematics.solution import COORDINATES, IkOptions, IkResult, IkStatus, LimbsResult
from softshell_kinematics.stability import static_margin, support_polygon

__all__ = [
    'COORDINATES',
    'BaseReach',
    'Coupling',
    'DhRow',
    'IkOptions',
    'IkResult',
    'IkStatus',
    'Joint',
    'JointKind',
    'Limbs',
    'LimbsResult',
    'MechanismResult',
    'ParallelMechanism',
    'Screw',
    'SerialChain',
    'analytic_jacobian',
    'base_reach',
    'chain_from_dh',
    'chain_from_screws',
    'chain_from_urdf',
    'geometric_jacobian',
    'solve_ik',
    'static_margin',
    'support_polygon',
]
