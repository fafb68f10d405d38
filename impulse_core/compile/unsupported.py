"""What a scene may say but the simulator does not simulate yet: said by name, never ignored."""

from __future__ import annotations

from impulse_schema import Scene

__all__ = ["contact_warning"]


def contact_warning(scene: Scene) -> str | None:
    """A sentence for scenes whose bodies could touch: contact is not simulated yet."""
    if scene.collision_filter is not None and not scene.collision_filter.default:
        return None
    colliding = {
        body.name for body in scene.bodies if any(g.role != "visual" for g in body.geometry)
    }
    joined = {
        frozenset((joint.body1, joint.body2))
        for joint in scene.joints
        if not joint.collide and {joint.body1, joint.body2} <= colliding
    }
    fixed = sum(body.motion == "static" for body in scene.bodies if body.name in colliding)
    pairs = len(colliding) * (len(colliding) - 1) // 2 - fixed * (fixed - 1) // 2 - len(joined)
    if pairs <= 0:
        return None
    return (
        f"{len(colliding)} bodies have collision geometry, but contact is not simulated yet:"
        " they pass through each other"
    )
