"""What a live machine is made of, and what it is at a moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from impulse_core.compile import CompiledScene, Scene, compile_scene
from impulse_core.compile.editing import Load, with_loads, without_bodies
from impulse_core.model.snapshot import Snapshot as Copy
from impulse_core.simulation.live.pushes import Acting, Pull

__all__ = ["Build", "Moment", "Struck"]

Pose = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Build:
    """What a machine is made of.

    Attributes:
        scene: With the parameters as they are now.
        given: Options that were given beside its settings.
        assemble: As ``simulate`` takes it.
        loads: Added to those of the scene.
        standing: Poses of bodies that were taken out.
    """

    scene: Scene
    given: Mapping[str, Any]
    assemble: bool | None
    loads: tuple[Load, ...] = ()
    standing: Mapping[str, Pose] = field(default_factory=dict)

    @classmethod
    def of(cls, scene: Scene, given: Mapping[str, Any], assemble: bool | None) -> Build:
        """Of a scene as it is."""
        return cls(scene, MappingProxyType(dict(given)), assemble)

    def compiled(self) -> CompiledScene:
        """The arrays of this machine.

        Raises:
            SceneError: It cannot be simulated.
        """
        scene = without_bodies(with_loads(self.scene, self.loads), self.standing)
        return compile_scene(scene, assemble=self.assemble)


class Struck(NamedTuple):
    """What was before impulses to which joints have not yet answered.

    Attributes:
        energy: Kinetic and potential [J].
        work: From outside so far [J].
    """

    energy: float
    work: float


@dataclass(frozen=True, eq=False)
class Moment:
    """All that the future of a machine depends on, beside the commands to come."""

    build: Build
    step: int
    copy: Copy
    targets: Mapping[tuple[str, int], float]
    acting: tuple[Acting, ...]
    pulls: tuple[Pull, ...]
    struck: Struck | None

    @property
    def size(self) -> int:
        """Memory that it takes [B], without what it shares with others."""
        few = 96 * (len(self.acting) + len(self.pulls)) + 64 * len(self.targets)
        return len(self.copy.data) + few + 400
