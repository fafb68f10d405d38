"""Elimination order and direct solver: no fill on trees, and the answer of a dense solve."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from impulse_core.algebra import Mat3, Vec3
from impulse_core.compile import compile_scene
from impulse_core.solver import layout
from impulse_core.solver.layout import plan_structure
from impulse_core.solver.ordering import elimination_order
from impulse_core.solver.pivots import pivot_inverse
from impulse_schema.models import Joint
from tests.core.probes import Probe
from tests.core.scenes import box, chain, four_bar, random_tree, scene_of
from tests.core.strategies import matrices

seeds = st.integers(0, 2**32 - 1)


def planned(scene):
    model = compile_scene(scene).model
    return model, plan_structure(model)


def ring(count, kind="ball"):
    """Bodies on a circle, each joined to the next, the first also to the world."""
    angles = 2.0 * np.pi * np.arange(count) / count
    places = np.stack([np.cos(angles), 0.1 * np.sin(3 * angles), np.sin(angles)], axis=-1)
    bodies = [box(f"b{k}", place) for k, place in enumerate(places)]
    joints = [
        Joint(
            name=f"j{k}",
            type=kind,
            body1=f"b{k}",
            body2=f"b{(k + 1) % count}",
            anchor=tuple(0.5 * (places[k] + places[(k + 1) % count])),
            axis=(0.0, 1.0, 0.0) if kind == "hinge" else None,
        )
        for k in range(count)
    ]
    joints.append(Joint(name="ground", type="ball", body2="b0", anchor=tuple(places[0])))
    return scene_of(bodies, joints)


def grid(rows, columns):
    """Boxes in a rectangle, ball joints between neighbours: many loops inside each other."""
    bodies = [
        box(f"b{i}-{k}", (float(i), 0.3 * i * k, float(k)))
        for i in range(rows)
        for k in range(columns)
    ]
    pairs = [((i, k), (i + 1, k)) for i in range(rows - 1) for k in range(columns)]
    pairs += [((i, k), (i, k + 1)) for i in range(rows) for k in range(columns - 1)]
    place = {(i, k): np.array((i, 0.3 * i * k, k)) for i in range(rows) for k in range(columns)}
    joints = [
        Joint(
            name=f"j{n}",
            type="ball",
            body1="b{}-{}".format(*a),
            body2="b{}-{}".format(*b),
            anchor=tuple(map(float, 0.5 * (place[a] + place[b]))),
        )
        for n, (a, b) in enumerate(pairs)
    ]
    return scene_of(bodies, joints)


def position_of(order):
    return {vertex: k for k, vertex in enumerate(order)}


def fill_between_strangers(model, structure):
    """Pairs of bodies and joints that the factor couples although they do not touch.

    The linear and angular 3×3 blocks of one body, and of a body and its joint, may couple anew:
    they make up one 6×6 block of Baraff's matrix.
    """
    owner = {}
    for kind, nodes in (
        ("body", structure.bodies["linear_node"]),
        ("body", structure.bodies["angular_node"]),
        ("joint", structure.joints["translation_node"]),
        ("joint", structure.joints["rotation_node"]),
    ):
        owner |= {int(node): (kind, i) for i, node in enumerate(nodes) if node >= 0}
    ends = zip(model.joints["body1"].tolist(), model.joints["body2"].tolist(), strict=True)
    touching = {frozenset((("joint", j), ("body", i))) for j, pair in enumerate(ends) for i in pair}
    touching |= {frozenset((vertex,)) for vertex in owner.values()}
    columns = np.repeat(np.arange(len(owner)), np.diff(structure.column_start)).tolist()
    coupled = {
        frozenset((owner[row], owner[column]))
        for row, column in zip(structure.entry_row.tolist(), columns, strict=True)
    }
    return coupled - touching


@settings(max_examples=20)
@given(seeds, st.integers(1, 30))
def test_trees_have_no_fill(seed, count):
    """The factor of a random tree couples only bodies with their own joints."""
    model, structure = planned(random_tree(np.random.default_rng(seed), count))

    assert not fill_between_strangers(model, structure)
    assert not structure.has_loops


def test_loops_have_fill():
    """A ring does couple strangers, so the test above can fail."""
    assert fill_between_strangers(*planned(ring(6)))


@settings(max_examples=30)
@given(seeds, st.integers(1, 40))
def test_trees_take_each_body_before_the_joint_above_it(seed, count):
    """Leaves first: of every joint's two bodies one comes before it, the other after."""
    model, _ = planned(random_tree(np.random.default_rng(seed), count))
    order, loops = elimination_order(model, may_hang=True)
    place = position_of(order)

    assert not loops
    assert sorted(order) == sorted(
        [("body", i) for i in range(count)] + [("joint", j) for j in range(count)]
    )
    for j, pair in enumerate(
        zip(model.joints["body1"].tolist(), model.joints["body2"].tolist(), strict=True)
    ):
        earlier = [place["body", i] < place["joint", j] for i in pair if i < count]
        assert sum(earlier) == 1


def limbs(count, *, free, normals=None, masses=None):
    """A trunk with parallelograms of hinges on it, each in the plane of its normal; two hinges
    about one line hold the trunk to the world unless it is free.
    """
    bodies, joints = [box("trunk", (0.0, 0.0, 0.0))], []
    normals = np.eye(3)[np.arange(count) % 3] if normals is None else normals
    for k, normal in enumerate(normals):
        along = np.cross(normal, np.roll(normal, 1) + np.array((0.3, -0.2, 0.1)))
        along /= np.linalg.norm(along)
        across = np.cross(normal, along)
        base = 2.0 * np.array((np.cos(k), np.sin(k), 0.1 * k))
        corners = [base, base + along, base + along + across, base + across]
        for side in range(1, 4):
            middle = 0.5 * (corners[side] + corners[side - 1])
            mass = 1.0 if masses is None else float(masses[k])
            bodies.append(box(f"{k}-{side}", tuple(middle.tolist()), mass=mass))
        ends = ["trunk", f"{k}-1", f"{k}-2", f"{k}-3", "trunk"]
        for n, corner in enumerate(corners):
            joints.append(
                Joint(
                    type="hinge",
                    body1=ends[n],
                    body2=ends[n + 1],
                    anchor=tuple(corner.tolist()),
                    axis=tuple(normal.tolist()),
                )
            )
    if not free:
        joints += [
            Joint(type="hinge", body2="trunk", anchor=(0.0, y, 0.0), axis=(0.0, 1.0, 0.0))
            for y in (0.0, 1.0)
        ]
    return scene_of(bodies, joints)


def hands(links, count, *, free, random=None):
    """Rows of links from a trunk, with a parallelogram at the end of each; a hinge holds the trunk
    to the world unless it is free.
    """
    random = np.random.default_rng(1) if random is None else random
    bodies, joints = [box("trunk", (0.0, 0.0, 0.0))], []

    def join(one, other, anchor, axis):
        given = {"anchor": tuple(anchor.tolist()), "axis": tuple(axis.tolist())}
        joints.append(Joint(type="hinge", body1=one, body2=other, **given))

    for k in range(count):
        last, at = "trunk", np.array((0.0, 0.0, 3.0 * k))
        middle, along = np.array((0.5, 0.1, 0.0)), np.array((1.0, 0.2, 0.0))
        for n in range(links):
            mass = float(np.exp(random.normal()))
            bodies.append(box(f"{k}-{n}", tuple((at + middle).tolist()), mass=mass))
            join(last, f"{k}-{n}", at, unit_vector(random))
            last, at = f"{k}-{n}", at + along
        corners = at + np.array(((0, 0, 0), (0, 1, 0), (1, 1.2, 0), (1, 0.2, 0)), dtype=float)
        for side in range(3):
            centre = 0.5 * (corners[side] + corners[side + 1])
            bodies.append(box(f"{k}-hand-{side}", tuple(centre.tolist())))
        ends = [last, *(f"{k}-hand-{side}" for side in range(3)), last]
        for n, corner in enumerate(corners):
            join(ends[n], ends[n + 1], corner, np.array((0.0, 0.0, 1.0)))
    if not free:
        joints.append(Joint(type="hinge", body2="trunk", anchor=(0, -1, 0), axis=(0, 1, 0)))
    return scene_of(bodies, joints)


def unit_vector(random):
    v = random.normal(size=3)
    return v / np.linalg.norm(v)


LOOPS = {
    "hands": hands(3, 2, free=True),
    "held hands": hands(2, 3, free=False),
    "four-bar": four_bar(),
    "ring": ring(7),
    "grid": grid(3, 4),
    "limbs": limbs(4, free=True),
    "held limbs": limbs(3, free=False),
}


@pytest.mark.parametrize("scene", LOOPS.values(), ids=LOOPS)
def test_loops_take_both_bodies_before_a_joint(scene):
    """On closed loops every dynamic body comes before its joints, and each vertex once."""
    model, structure = planned(scene)
    order, loops = elimination_order(model, may_hang=False)
    bodies = model.dynamic
    place = position_of(order)

    assert loops
    assert structure.has_loops
    assert len(place) == len(order) == bodies + len(model.joints)
    for j, pair in enumerate(
        zip(model.joints["body1"].tolist(), model.joints["body2"].tolist(), strict=True)
    ):
        for i in pair:
            assert i == bodies or place["body", i] < place["joint", j]


@pytest.mark.parametrize("scene", LOOPS.values(), ids=LOOPS)
def test_what_comes_before_a_joint_hangs_on_one_thing(scene):
    """All that joints before it join it to hangs on one later body at most, or on the world."""
    model, _ = planned(scene)
    order, _ = elimination_order(model, may_hang=True)
    place = position_of(order)
    pairs = list(zip(model.joints["body1"].tolist(), model.joints["body2"].tolist(), strict=True))

    assert len(place) == len(order) == model.dynamic + len(model.joints)
    for j in range(len(pairs)):
        joined, held, seen = [j], set(), {j}
        while joined:
            for i in pairs[joined.pop()]:
                if i >= model.dynamic or place["body", i] > place["joint", j]:
                    held.add(i)
                    continue
                beside = {k for k, ends in enumerate(pairs) if i in ends} - seen
                earlier = {k for k in beside if place["joint", k] < place["joint", j]}
                joined += earlier
                seen |= earlier
        assert len(held) <= 1


def test_limbs_of_a_trunk_cost_the_same_each():
    """However many loops hang on one body, and one more costs as many updates as the last."""
    sizes = [len(planned(limbs(count, free=True))[1].target) for count in (4, 8, 12, 16)]

    assert len(set(np.diff(sizes).tolist())) == 1


def test_links_between_loops_cost_what_those_of_a_chain_do():
    """One more link in each of four rows with loops at their ends: four times one of a chain."""

    def updates(links):
        model = compile_scene(hands(links, 4, free=True)).model
        return layout._plan(model, may_hang=True).updates

    one = len(planned(chain(9, ["hinge"] * 9))[1].target)
    one -= len(planned(chain(8, ["hinge"] * 8))[1].target)

    assert {updates(n + 1) - updates(n) for n in (3, 6, 9)} == {4 * one}


@settings(max_examples=40)
@given(seeds, st.integers(1, 12), st.integers(0, 6), st.booleans())
def test_on_loops_is_what_can_be_cut(seed, count, more, free):
    """A joint is on a loop if its bodies are joined without it too, by others or by the world."""
    random = np.random.default_rng(seed)
    bodies = [box(f"b{k}", (float(k), 0.0, 0.0)) for k in range(count)]
    pairs = [(int(random.integers(0, k)), k) for k in range(1, count)] + [(count, 0)] * (not free)
    for _ in range(more):
        pairs.append(tuple(random.choice(count + 1, 2, replace=False).tolist()))
    joints = [
        Joint(
            type="ball",
            body1="world" if max(pair) == count else f"b{pair[0]}",
            body2=f"b{min(pair) if max(pair) == count else pair[1]}",
            anchor=tuple(random.normal(size=3).tolist()),
        )
        for pair in pairs
    ]
    model, _ = planned(scene_of(bodies, joints))

    for may_hang in (False, True):
        order, loops = elimination_order(model, may_hang=may_hang)
        assert len(set(order)) == len(order) == count + len(joints)
        for j, (one, other) in enumerate(pairs):
            assert (j in loops) == (other in reached(pairs[:j] + pairs[j + 1 :], one))


def reached(pairs, start):
    """What is joined to a body by some of these pairs."""
    found, waiting = {start}, [start]
    while waiting:
        at = waiting.pop()
        beside = {x for pair in pairs if at in pair for x in pair} - found
        found |= beside
        waiting.extend(beside)
    return found


@settings(max_examples=30)
@given(seeds, st.integers(0, 4), st.integers(1, 4), st.booleans())
def test_loops_at_the_ends_of_limbs_are_solved(seed, links, count, free):
    """Three rows of each are dropped, none of the links between them, and what is consistent is
    solved as by a dense matrix.
    """
    scene = hands(links, count, free=free, random=np.random.default_rng(seed))
    probe = Probe(scene)
    A, b, _, found = dense_and_direct(scene, seed)

    probe.solve(np.zeros(probe.used.shape))
    dropped = sum(rows.bit_count() for rows in probe.work.dropped.tolist())
    assert dropped == 3 * count
    assert np.linalg.norm(A @ found - b) <= 1e-9 * np.linalg.norm(b)


@settings(max_examples=40)
@given(seeds, st.integers(1, 7), st.booleans(), st.floats(0.0, 3.0))
@example(3, 3, False, 3.0)
def test_redundant_limbs_in_any_plane(seed, count, free, spread):
    """Of limbs that repeat themselves, in planes that face anywhere and of masses far apart, as
    many rows are dropped as the matrix lacks in rank, and what is consistent is solved, but for
    round-off that grows with the root of the ratio of the masses.
    """
    random = np.random.default_rng(seed)
    normals = random.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    masses = np.exp(spread * random.normal(size=count))
    scene = limbs(count, free=free, normals=normals, masses=masses)
    probe = Probe(scene)
    A, b, _, found = dense_and_direct(scene, seed)

    probe.solve(np.zeros(probe.used.shape))
    dropped = sum(rows.bit_count() for rows in probe.work.dropped.tolist())
    scaled = A / np.sqrt(np.outer(np.diag(A), np.diag(A)))
    assert dropped == len(A) - np.linalg.matrix_rank(scaled, tol=1e-9)
    apart = max(1.0, masses.max()) / min(1.0, masses.min())
    assert np.linalg.norm(A @ found - b) <= 1e-10 * math.sqrt(apart) * np.linalg.norm(b)


def test_branches_of_a_loop_are_peeled():
    """A tree that hangs on a ring costs no fill: only the ring's own joints couple anew."""
    plain, branched = ring(6), ring(6)
    for k in range(8):
        above = f"twig{k - 1}" if k else "b2"
        branched.bodies.append(box(f"twig{k}", (2.0 + k, 0.0, 0.0)))
        branched.joints.append(
            Joint(type="ball", body1=above, body2=f"twig{k}", anchor=(1.5 + k, 0.0, 0.0))
        )

    assert len(fill_between_strangers(*planned(branched))) == len(
        fill_between_strangers(*planned(plain))
    )


@settings(max_examples=30)
@given(seeds, st.integers(1, 40))
def test_a_free_tree_is_eliminated_from_its_leaves_to_its_middle(seed, count):
    """No body is further from the root than half the longest way through the tree."""
    random = np.random.default_rng(seed)
    bodies = [box(f"b{k}", (float(k), 0.0, 0.0)) for k in range(count)]
    parents = [int(random.integers(0, k)) for k in range(1, count)]
    joints = [
        Joint(type="ball", body1=f"b{parent}", body2=f"b{k}", anchor=(float(k), 0.5, 0.0))
        for k, parent in enumerate(parents, start=1)
    ]
    model, _ = planned(scene_of(bodies, joints))
    order, _ = elimination_order(model, may_hang=True)
    place = position_of(order)

    ways = np.full((count, count), np.inf)
    np.fill_diagonal(ways, 0.0)
    for k, parent in enumerate(parents, start=1):
        ways[k, :k] = ways[:k, k] = ways[parent, :k] + 1.0
    above = {}
    for k, parent in enumerate(parents, start=1):
        first, second = sorted((k, parent), key=lambda body: place["body", body])
        assert first not in above
        above[first] = second
    heights = [sum(1 for _ in ancestors(above, k)) for k in range(count)]
    assert max(heights) == np.ceil(ways.max() / 2.0)


def ancestors(above, body):
    while body in above:
        body = above[body]
        yield body


@pytest.mark.parametrize("shape", ["chain", "hub"])
def test_cost_grows_linearly(shape):
    """Blocks and updates of a chain and of a hub grow in proportion to the number of bodies."""

    def sizes(count):
        scene = chain(count, ["ball"] * count) if shape == "chain" else hub(count)
        structure = planned(scene)[1]
        return np.array([len(structure.entry_row), len(structure.target)])

    hundred, two, three = sizes(100), sizes(200), sizes(300)
    assert (three - two == two - hundred).all()


def hub(count):
    """Bodies around one, which is on the world."""
    bodies = [box("hub", (0.0, 0.0, 0.0))]
    joints = [Joint(type="ball", body2="hub", anchor=(0.0, 0.0, 0.1))]
    for k in range(1, count):
        bodies.append(box(f"b{k}", (float(k), 1.0, 0.0)))
        joints.append(Joint(type="ball", body1="hub", body2=f"b{k}", anchor=(float(k), 0.5, 0.0)))
    return scene_of(bodies, joints)


def test_every_node_once():
    """Linear and angular parts of bodies and rows of joints have nodes of their own, in order."""
    model, structure = planned(random_tree(np.random.default_rng(4), 25))
    nodes = np.concatenate(
        [
            structure.bodies["linear_node"],
            structure.bodies["angular_node"],
            structure.joints["translation_node"][model.joints["translation_part"] > 0],
            structure.joints["rotation_node"][model.joints["rotation_part"] > 0],
        ]
    )

    assert sorted(nodes.tolist()) == list(range(len(structure.column_start) - 1))
    for column in range(len(structure.column_start) - 1):
        rows = structure.entry_row[
            structure.column_start[column] : structure.column_start[column + 1]
        ]
        assert (rows > column).all()


def dense_and_direct(scene, seed=0):
    """λ by NumPy and by the direct solver, for a right-hand side in the range of A; and A."""
    probe = Probe(scene)
    G = probe.gradient()
    A = G @ np.linalg.solve(probe.mass_matrix(), G.T)
    wanted = np.random.default_rng(seed).normal(size=len(A))
    b = A @ wanted
    right_side = np.zeros(probe.used.shape)
    right_side[probe.used] = b
    return A, b, wanted, probe.solve(right_side)[probe.used]


@settings(max_examples=20)
@given(seeds, st.integers(1, 12))
def test_trees_against_a_dense_solve(seed, count):
    """λ of random trees of all joint types is that of the dense matrix G M⁻¹ Gᵀ.

    To round-off times the condition of the matrix.
    """
    A, b, wanted, found = dense_and_direct(random_tree(np.random.default_rng(seed), count), seed)

    assert np.linalg.norm(A @ found - b) <= 1e-10 * np.linalg.norm(b)
    bound = 1e-11 * np.linalg.cond(A) * np.linalg.norm(wanted)
    assert np.linalg.norm(found - wanted) <= bound


@pytest.mark.parametrize(
    "scene", [ring(5), ring(8), grid(3, 3)], ids=["ring of 5", "ring of 8", "grid"]
)
def test_loops_against_a_dense_solve(scene):
    """The same for independent joints on closed loops."""
    A, b, _, found = dense_and_direct(scene)

    assert np.linalg.matrix_rank(A, tol=1e-10 * np.abs(A).max()) == len(A)
    assert np.linalg.norm(A @ found - b) <= 1e-9 * np.linalg.norm(b)


@pytest.mark.parametrize("ratio", [1e-8, 1e-3, 1.0, 1e3, 1e6, 1e8])
def test_redundant_joints_of_a_four_bar(ratio):
    """A planar four-bar of hinges has a singular matrix; what is consistent is solved all the same.

    Even with one bar heavier by the mass ratio: its rows are weak, and yet are not dropped.
    """
    scene = four_bar()
    scene.bodies[1].mass = ratio
    A, b, _, found = dense_and_direct(scene)

    scaled = A / np.sqrt(np.outer(np.diag(A), np.diag(A)))
    assert np.linalg.matrix_rank(scaled, tol=1e-10) == 17
    assert len(A) == 20
    assert np.linalg.norm(A @ found - b) <= 1e-10 * np.linalg.norm(b)


@settings(max_examples=50)
@given(seeds, st.integers(1, 3), st.floats(-3.0, 3.0))
def test_pivot_inverse(seed, rank, power):
    """A block of any rank is inverted on what its rows hold, and the missing rows are marked.

    Singular ones are B Bᵀ with B of `rank` columns, whose leading minors do not vanish.
    """
    random = np.random.default_rng(seed)
    B = random.normal(size=(3, rank)) * np.exp(power * random.normal(size=(3, 1)))
    P = B @ B.T
    scale = np.diag(P)

    inverse, dropped = pivot_inverse(
        Mat3(*P.ravel().tolist()), Vec3(*(1e-10 * scale).tolist()), 10.0
    )

    found = np.array(inverse).reshape(3, 3)
    unit = np.sqrt(np.outer(scale, scale))
    assert dropped.bit_count() == 3 - rank
    assert np.abs((P @ found @ P - P) / unit).max() <= 1e-6
    np.testing.assert_array_equal(np.diag(found) == 0.0, [dropped >> row & 1 for row in range(3)])


@settings(max_examples=50)
@given(matrices)
def test_pivot_inverse_of_unsymmetric_blocks(columns):
    """Where no pivot is small it is the inverse of an unsymmetric block, as Newton's is."""
    P = np.array(columns).reshape(3, 3) / 1e3 + 4.0 * np.eye(3)

    inverse, dropped = pivot_inverse(Mat3(*P.ravel().tolist()), Vec3(1e-10, 1e-10, 1e-10), 10.0)

    assert dropped == 0
    assert np.array(inverse).reshape(3, 3) == pytest.approx(np.linalg.inv(P), rel=1e-9, abs=1e-9)


def test_row_scale_is_a_diagonal():
    """It is the diagonal of G M⁻¹ Gᵀ if bodies turned about their softest axis; for thin bars that
    is up to a thousand times more, and never less.
    """
    probe = Probe(four_bar())
    G = probe.gradient()
    diagonal = np.diag(G @ np.linalg.solve(probe.mass_matrix(), G.T))

    share = probe.structure.joints["row_scale"][probe.used] / diagonal
    assert share.min() > 0.99
    assert share.max() < 1e3


def test_only_rows_on_loops_are_dropped():
    """Joints of a tree, of a twig on a ring, and that which holds the ring, cannot repeat others:
    their floor is zero.
    """
    tree = Probe(random_tree(np.random.default_rng(9), 10))
    scene = ring(6)
    scene.bodies.append(box("twig", (2.0, 0.0, 0.0)))
    scene.joints.append(Joint(type="ball", body1="b0", body2="twig", anchor=(1.5, 0.0, 0.0)))
    looped = Probe(scene)

    assert (tree.structure.pivot_floor == 0.0).all()
    floor = looped.structure.pivot_floor[looped.structure.joints["translation_node"]]
    assert (floor[:6] > 0.0).all()
    assert (floor[6:] == 0.0).all()


def test_dropped_rows_carry_nothing():
    """Of 20 rows of a four-bar of hinges three are dropped: their multipliers are exactly zero."""
    probe = Probe(four_bar())
    impulse = probe.solve(probe.rates() + np.where(probe.used, 1.0, 0.0))

    assert sum(rows.bit_count() for rows in probe.work.dropped.tolist()) == 3
    assert np.count_nonzero(impulse[probe.used] == 0.0) == 3
