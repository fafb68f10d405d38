"""What a machine is: Model (constant), State (varying), Workspace (scratch), and a run's Tally."""

from impulse_core.model.model import (
    FLOW_EXACT,
    FLOW_RK4,
    FREE_COMPLIANCE,
    TAYLOR_ORDER,
    Axis,
    Body,
    CountedAngle,
    Couplings,
    Joint,
    Load,
    Model,
    Term,
)
from impulse_core.model.state import (
    AxisState,
    BodyState,
    State,
    TermState,
    copy_state,
    new_state,
    restore_state,
)
from impulse_core.model.structure import BodyPlace, JointPlace, Structure
from impulse_core.model.tally import Tally, new_tally
from impulse_core.model.workspace import Directions, Pose, Workspace, new_workspace

__all__ = [
    "FLOW_EXACT",
    "FLOW_RK4",
    "FREE_COMPLIANCE",
    "TAYLOR_ORDER",
    "Axis",
    "AxisState",
    "Body",
    "BodyPlace",
    "BodyState",
    "CountedAngle",
    "Couplings",
    "Directions",
    "Joint",
    "JointPlace",
    "Load",
    "Model",
    "Pose",
    "State",
    "Structure",
    "Tally",
    "Term",
    "TermState",
    "Workspace",
    "copy_state",
    "new_state",
    "new_tally",
    "new_workspace",
    "restore_state",
]
