"""What is not simulated yet, and what cannot be, is refused by name and place."""

import pytest

import impulse_core as ic
from impulse_core.compile import SceneError, compile_scene
from impulse_schema import save_scene
from impulse_schema.models import (
    Body,
    CouplingTerm,
    Friction,
    Joint,
    Keyframe,
    Limit,
    Motor,
    Spring,
    SpringDamper,
)
from tests.core.machines import arm, sled
from tests.core.scenes import box, chain, scene_of


def hinged(**joint):
    """A bar on a hinge named elbow, with more on it."""
    scene = chain(1, ["hinge"])
    elbow = scene.joints[0].model_dump(exclude_unset=True) | {"name": "elbow"} | joint
    scene.joints[0] = Joint(**elbow)
    return scene


def displaced():
    """A kinematic body that does not start where its keyframes say."""
    scene = chain(1, ["hinge"])
    keys = [Keyframe(time=float(k), position=(0.0, 0.0, 1.0 + k)) for k in range(2)]
    lift = Body(name="lift", motion="kinematic", position=(0.0, 0.0, 2.0), keyframes=keys)
    scene.bodies.append(lift)
    return scene


def set_up(scene, **settings):
    """The scene with other settings."""
    scene.settings = scene.settings.model_copy(update=settings)
    return scene


def sixth(**joint):
    """The same with a method of order six, which takes stages backwards in time."""
    return set_up(hinged(**joint), method="imp6")


def damped():
    scene = chain(1, ["ball"], method="imp8")
    scene.springs = [
        SpringDamper(
            name="cord",
            body2="rod-0",
            anchor=(1.0, 0.0, 0.0),
            anchor2=scene.bodies[0].position,
            damping=2e4,
        )
    ]
    return scene


def with_settings(**settings):
    return chain(1, ["ball"], **settings)


def roped(max_length=1.5, **settings):
    """A box that hangs on a rope."""
    rope = Joint(
        name="rope", type="distance", body2="box", anchor=(0, 0, 0), anchor2=(0, 0, -1),
        max_length=max_length,
    )  # fmt: skip
    return scene_of([box("box", (0.0, 0.0, -1.0))], [rope], **settings)


def softened(damping=1.0, **settings):
    """A bar on a ball joint with damping."""
    scene = with_settings(**settings)
    scene.joints[0].damping = damping
    return scene


def touching(**settings):
    """Two bodies that can touch."""
    bodies = [box(name, (0.0, 0.0, z), role="both") for name, z in (("a", 0.0), ("b", 1.0))]
    return scene_of(bodies, **settings)


REFUSED = {
    "weak motor": (
        lambda: sixth(motors=[Motor(kind="velocity", target=1.0, max_force=2.0)]),
        ["elbow", "velocity motor", "imp6", "imp2"],
    ),
    "explicit servo": (
        lambda: sixth(motors=[Motor(kind="servo", target=1.0, proportional=1.0, explicit=True)]),
        ["elbow", "explicit servo", "imp6"],
    ),
    "limit": (lambda: sixth(limits=[Limit(lower=-1.0, upper=1.0)]), ["elbow", "limit"]),
    "stiff damper": (
        lambda: sixth(springs=[Spring(damping=1e4)]),
        ["elbow", "damper", "too stiff", "imp6", "0.01 s", "imp2", "or less"],
    ),
    "friction": (lambda: sixth(frictions=[Friction(force=1.0)]), ["elbow", "friction", "imp6"]),
    "stiff damper between points": (damped, ["cord", "damper", "too stiff", "imp8"]),
    "limit beyond the start": (
        lambda: hinged(limits=[Limit(lower=0.5, upper=1.0)]),
        ["elbow", "start pose", "lower limit 0.5"],
    ),
    "start of a kinematic body": (displaced, ["lift", "position", "keyframes"]),
    "method": (lambda: with_settings(method="gc4"), ["gc4", "distance", "imp2"]),
    "flow of multipliers": (lambda: with_settings(method="lm4", free_motion="rk4"), ["rk4", "lm4"]),
    "solver": (lambda: with_settings(solver="sle", method="lm4"), ["lm4", "sle", "direct"]),
    "stiffly damped ball": (
        lambda: softened(1e4, method="imp4"),
        ["joint-0", "damper", "too stiff", "imp4", "imp2"],
    ),
    "damping by method": (lambda: softened(method="gc4"), ["joint-0", "damping", "gc4", "imp2"]),
    "friction by method": (
        lambda: set_up(hinged(frictions=[Friction(force=1.0)]), method="lmvd8"),
        ["elbow", "dry friction", "lmvd8", "imp2"],
    ),
    "breaking by method": (
        lambda: set_up(hinged(break_force=1.0), method="lmvd8"),
        ["elbow", "can break", "lmvd8", "imp2"],
    ),
    "velocity motor by method": (
        lambda: set_up(hinged(motors=[Motor(kind="velocity", target=1.0)]), method="lm4"),
        ["elbow", "velocity motor", "lm4", "imp2"],
    ),
    "damping by solver": (
        lambda: softened(solver="iterative"),
        ["joint-0", "damping", "iterative", "direct"],
    ),
    "range": (lambda: roped(method="imp4"), ["rope", "range", "imp4", "imp2"]),
    "range by method": (lambda: roped(method="gc4"), ["rope", "max_length", "gc4", "imp2"]),
    "range beyond the start": (
        lambda: roped(max_length=0.9),
        ["rope", "start 1 m apart", "max_length 0.9"],
    ),
    "armature by method": (
        lambda: set_up(hinged(armature=1.0), method="gc4"),
        ["elbow", "armature", "gc4", "imp2"],
    ),
    "armature by solver": (
        lambda: set_up(hinged(armature=1.0), solver="sle"),
        ["elbow", "armature", "sle", "direct"],
    ),
    "contact by method": (
        lambda: touching(method="imp4"),
        ["imp4", "no contact", "imp2", "collision_filter"],
    ),
    "contact by comparison method": (lambda: touching(method="lm4"), ["lm4", "no contact", "imp2"]),
    "contact by solver": (lambda: touching(solver="sle"), ["sle", "no contact", "direct"]),
    "flow": (lambda: with_settings(method="imp4", free_motion="rk4"), ["rk4", "imp4", "imp2"]),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("suffix", [".xml", ".json"])
def test_refused_with_name_and_place(what, suffix, tmp_path):
    """One problem, whose message names the element, at a line and column of the file it was in."""
    build, words = REFUSED[what]
    path = tmp_path / f"scene{suffix}"
    save_scene(build(), path)

    with pytest.raises(SceneError) as caught:
        ic.simulate(ic.load_scene(path), duration=0.1)

    (problem,) = caught.value.problems
    assert all(word in f"{problem.message}. {problem.hint}" for word in words)
    assert problem.file == str(path)
    assert problem.line is not None
    assert problem.column is not None
    assert problem.hint


@pytest.mark.parametrize("what", REFUSED)
def test_refused_when_built_in_python(what):
    """The same for a scene without a file, which has an element path but no line."""
    build, words = REFUSED[what]

    with pytest.raises(SceneError) as caught:
        ic.simulate(build(), duration=0.1)

    (problem,) = caught.value.problems
    assert all(word in str(problem) for word in words)
    assert problem.line is None
    assert [str(found) for found in ic.check(build())] == [str(problem)]


def test_everything_at_once():
    """All refusals of a scene are reported together."""
    scene = chain(2, ["hinge", "hinge"])
    scene.joints[0].limits = [Limit(lower=0.1, upper=1.0)]
    scene.joints[1].limits = [Limit(upper=-1.0)]
    scene.joints[1].anchor2 = (9.0, 9.0, 9.0)

    assert len(ic.check(scene)) == 3


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"method": "gc4"}, ["gc4", "imp2"]),
        ({"method": "euler"}, ["euler", "imp2"]),
        ({"solver": "cholesky"}, ["cholesky", "direct", "iterative"]),
        ({"solver": "iterative", "method": "lm4"}, ["iterative", "lm4", "direct"]),
        ({"step": 0.0}, ["step", "positive"]),
        ({"step": float("nan")}, ["step", "positive"]),
        ({"duration": float("inf")}, ["duration", "positive"]),
        ({"fps": -1.0}, ["fps", "positive"]),
        ({"tolerance": 0.0}, ["tolerance", "positive"]),
        ({"threads": 0}, ["threads", "at least 1"]),
        ({"step": 2.0, "duration": 1.0}, ["step", "duration", "smaller"]),
    ],
)
def test_unusable_options(option, words):
    """An argument that cannot be used is an OptionError of one sentence that names it."""
    with pytest.raises(ic.OptionError) as caught:
        ic.simulate(with_settings(), **({"duration": 0.1} | option))

    assert all(word in str(caught.value) for word in words)
    assert "\n" not in str(caught.value)


def test_arguments_win_over_settings():
    """An argument wins over the scene's setting, that over the default."""
    scene = with_settings(step=0.005, fps=10.0, duration=0.2, method="imp4", tolerance=1e-7)

    by_scene = ic.simulate(scene)
    by_arguments = ic.simulate(
        scene, step=0.02, fps=5.0, duration=0.4, method="imp2", tolerance=1e-5
    )
    by_default = ic.simulate(with_settings(), duration=0.1)

    assert (by_scene.step, by_scene.fps, by_scene.method) == (0.005, 10.0, "imp4")
    assert by_scene.times[-1] == 0.2
    assert by_scene.diagnostics["tolerance_m"] == 1e-7
    assert (by_arguments.step, by_arguments.fps, by_arguments.method) == (0.02, 5.0, "imp2")
    assert by_arguments.diagnostics["tolerance_m"] == 1e-5
    assert (by_default.step, by_default.fps, by_default.method) == (0.01, 25.0, "imp2")


@pytest.mark.parametrize("scale", [0.5, 10.0])
def test_default_tolerance_grows_with_the_scene(scale):
    """A millionth of the scene's size for order two."""
    scene = scene_of([box("a", (0.0, 0.0, 0.0), mass=1.0), box("b", (scale, 0.0, 0.0), mass=1.0)])

    found = ic.simulate(scene, duration=0.02).diagnostics["tolerance_m"]

    assert found == pytest.approx(1e-6 * compile_scene(scene).size)
    assert compile_scene(scene).size == pytest.approx(scale, abs=0.5)


@pytest.mark.parametrize(("method", "order", "coarse"), [("imp2", 2, 1e-6), ("imp4", 4, 1e-9)])
def test_default_tolerance_falls_with_the_step(method, order, coarse):
    """With the power that keeps it below the method's own error; long steps get no coarser one."""
    scene = scene_of([box("a", (0, 0, 0), mass=1.0), box("b", (1, 0, 0), mass=1.0)])

    def default(step):
        run = ic.simulate(scene, duration=0.1, step=step, method=method)
        return run.diagnostics["tolerance_m"]

    assert default(0.01) == pytest.approx(coarse * compile_scene(scene).size)
    assert default(0.02) == default(0.01)
    assert default(0.004) == pytest.approx(0.4 ** (order + 1) * default(0.01))
    assert default(1e-4) >= 1e-14


def test_tolerance_below_round_off():
    """A tolerance that coordinates of this size cannot hold is refused with one that they can."""
    scene = with_settings()

    with pytest.raises(ic.OptionError, match="finer than coordinates"):
        ic.simulate(scene, duration=0.1, tolerance=1e-15)


@pytest.mark.parametrize("scale", [0.5, 3.0, 10.0])
def test_tolerance_beyond_the_machine(scale):
    """What would let joints open by more than all there is is refused with what it would be."""
    scene = scene_of([box("a", (0.0, 0.0, 0.0), mass=1.0), box("b", (scale, 0.0, 0.0), mass=1.0)])
    size = compile_scene(scene).size

    with pytest.raises(ic.OptionError, match=r"larger than the machine .* leave it out for"):
        ic.simulate(scene, duration=0.02, tolerance=1.01 * size)

    ic.simulate(scene, duration=0.02, tolerance=0.5 * size)


def test_any_tolerance_where_nothing_has_a_size():
    """As a ground alone."""
    ground = Body(name="ground", motion="static", geometry=[{"shape": "plane"}])

    ic.simulate(scene_of([ground]), duration=0.02, tolerance=1e-4)


def test_friction_against_a_motor_of_any_force_is_refused():
    """It could decide nothing; against a motor with a largest force it does."""
    motor = Motor(kind="velocity", expression="1.0")
    scene = sled(motors=[motor], frictions=[Friction(force=0.5)])

    with pytest.raises(SceneError, match=r"'rail': its friction resists .* max_force"):
        ic.simulate(scene, duration=0.02)
    motor.max_force = 10.0
    assert ic.simulate(sled(motors=[motor], frictions=[Friction(force=0.5)]), duration=0.02)


def test_motors_that_fight_over_a_coupling_are_refused():
    """Two motors of any force on axes that a coupling ties; with one of them the machine runs."""

    def geared(count):
        bodies, joints = arm([1.0, 1.0])
        for joint in joints[:count]:
            joint.motors = [Motor(kind="velocity", expression="0.3")]
        terms = [
            CouplingTerm(joint="j0", coefficient=1.0),
            CouplingTerm(joint="j1", coefficient=-2.0),
        ]
        joints.append(Joint(name="gear", type="coupling", terms=terms))
        return scene_of(bodies, joints)

    with pytest.raises(SceneError, match=r"coupling 'gear' ties axes .* Give all but one"):
        ic.simulate(geared(2), duration=0.02)
    assert ic.simulate(geared(1), duration=0.02).complete
