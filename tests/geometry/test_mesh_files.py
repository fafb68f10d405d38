"""Readers of OBJ, STL and PLY: what they read, and how they say what is wrong."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from impulse_core.geometry import MeshFileError, check_mesh, polyhedron_mass_properties, read_mesh

from .mesh_writers import obj_bytes, ply_bytes, stl_binary, stl_text
from .solids import box_mesh, fans, prism, random_hull

HOUSE = prism([(0, 0), (2, 0), (2, 1), (1, 2), (0, 1)], 1.0)  # 5 quads, 2 pentagons
HULL = random_hull(np.random.default_rng(1), 20)
PLY_FORMS = ["ascii", "binary_little_endian", "binary_big_endian"]


@pytest.fixture
def read(tmp_path):
    """Reads bytes as if they were the file 'mesh' with a suffix."""

    def read(suffix, data, **options):
        path = tmp_path / f"mesh{suffix}"
        path.write_bytes(data)
        return read_mesh(path, **options)

    return read


def assert_equal(mesh, expected):
    assert np.array_equal(mesh.vertices, expected.vertices)
    assert mesh.faces() == expected.faces()


class TestObj:
    @pytest.mark.parametrize("corner", ["{0}", "{0}/7", "{0}//7", "{0}/7/8"])
    def test_corners(self, read, corner):
        """Polygons are kept; texture and normal numbers are ignored."""
        assert_equal(read(".obj", obj_bytes(HOUSE, corner)), HOUSE)

    def test_other_lines_are_ignored(self, read):
        """Comments, groups, materials, normals, blanks, tabs and Windows line ends."""
        data = obj_bytes(HOUSE).replace(b"\n", b"  # remark\r\n").replace(b"v ", b"\tv\t")
        data = (
            b"# head\r\nmtllib a.mtl\r\no house\r\ng wall\r\nvn 0 0 1\r\nvt 0 0\r\ns 1\r\n" + data
        )

        assert_equal(read(".obj", data), HOUSE)

    def test_negative_numbers(self, read):
        """-1 is the last vertex above the line, also in the middle of the file."""
        first = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n"

        mesh = read(".obj", (first + "v 0 0 1\nv 1 0 1\nv 0 1 1\nf -3 -2 -1 1\n").encode())

        assert mesh.faces() == [[0, 1, 2], [3, 4, 5, 0]]

    def test_colours_and_weights(self, read):
        """Numbers after x, y and z are left alone."""
        mesh = read(".obj", b"v 0 0 0 1\nv 1 0 0 .5 .5 .5\nv 0 1 0\nf 1 2 3\n")

        assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]

    def test_continued_lines(self, read):
        """A backslash continues a line, and the lines below keep their numbers."""
        data = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n 3\nf 1 2 x\n"

        with pytest.raises(MeshFileError, match=r"mesh\.obj:6: 'x' in 'f 1 2 x' is not a vertex"):
            read(".obj", data)
        assert read(".obj", data[:-8]).faces() == [[0, 1, 2]]

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"v 0 0 0\nv 1 0\n", "mesh.obj:2: 'v 1 0' has 2 numbers where 3 are needed."),
            (b"v 0 0 0\nv 1 a 0\n", "mesh.obj:2: 'a' in 'v 1 a 0' is not a finite number."),
            (b"v 0 0 nan\n", "mesh.obj:1: 'nan' in 'v 0 0 nan' is not a finite number."),
            (b"v 0 0 0\nf 1 1 0\n", "mesh.obj:2: '0' in 'f 1 1 0' is not a vertex number"),
            (b"v 0 0 0\nf 1 1 1.5\n", "mesh.obj:2: '1.5' in 'f 1 1 1.5' is not a vertex number"),
            (b"v 0 0 0\nf 1 1 9\n", "mesh.obj:2: face 0 refers to vertex 8, but there are 1"),
            (b"v 0 0 0\nf 1 1 -2\n", "mesh.obj:2: face 0 refers to vertex -1, but"),
            (b"v 0 0 0\nf 1 1 %d\n" % 10**30, "mesh.obj:2: '1000"),
            (b"v 0 0 0\n", "mesh.obj: has no faces."),
            (b"\xff\xfe\x00garbage", "mesh.obj: has no faces."),
            (b" \n", "mesh.obj: is empty."),
        ],
    )
    def test_faults(self, read, data, message):
        """The line is named, and what is wrong with it."""
        with pytest.raises(MeshFileError, match=re.escape(message)):
            read(".obj", data)


class TestStl:
    def test_text(self, read):
        """Vertices at the same place become one, in order of appearance; the solid is closed."""
        mesh = read(".stl", stl_text(fans(HOUSE)))

        assert (len(mesh.vertices), mesh.face_count) == (10 + 7, 5 * 4 + 2 * 5)
        assert check_mesh(mesh) == []
        assert abs(polyhedron_mass_properties(mesh).volume - 3.0) <= 1e-15

    @pytest.mark.parametrize("header", [b"binary", b"solid but binary"])
    def test_binary(self, read, header):
        """Also when the free header begins as a text file would."""
        mesh = read(".stl", stl_binary(fans(HOUSE), header))

        assert check_mesh(mesh) == []
        assert abs(polyhedron_mass_properties(mesh).volume - 3.0) <= 1e-6

    def test_upper_case_and_several_solids(self, read):
        """Keywords in capitals, several solids in a file, blank lines."""
        text = stl_text(fans(box_mesh())).upper() + b"\n\n"

        mesh = read(".stl", text + stl_text(fans(box_mesh(middle=(5, 0, 0)))))

        assert mesh.face_count == 48
        assert check_mesh(mesh) == []

    def test_negative_zero_is_zero(self, read):
        """0.0 and -0.0 are the same place."""
        text = stl_text(fans(box_mesh((2, 2, 2), (1, 1, 1)))).replace(b" 0.0", b" -0.0", 20)

        assert check_mesh(read(".stl", text)) == []

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (
                b"vertex 0.0",
                b"vortex 0.0",
                "mesh.stl:4: 'vortex 0.0 0.0 0.0' stands where 'vertex'",
            ),
            (b"  endfacet\n", b"", "stands where 'endfacet' belongs"),
            (b"endsolid test", b"", "the file ends in the middle: 'endsolid' is missing."),
            (b"vertex 0.0", b"vertex zero", "mesh.stl:4: 'zero' in 'vertex zero 0.0 0.0' is not"),
            (b"vertex 0.0 0.0", b"vertex 0.0", "mesh.stl:4: 'vertex 0.0 0.0' has 2 numbers"),
        ],
    )
    def test_faults_in_text(self, read, old, new, message):
        """The line is named, and what is wrong with it."""
        text = (
            b"solid test\nfacet normal 0 0 1\nouter loop\nvertex 0.0 0.0 0.0\nvertex 1.0 0.0 0.0\n"
        )
        text += b"vertex 0.0 1.0 0.0\nendloop\n  endfacet\nfacet normal 0 0 1\nouter loop\n"
        text += b"vertex 0.0 0.0 0.0\nvertex 1.0 0.0 0.0\nvertex 0.0 1.0 0.0\nendloop\n"
        text += b"  endfacet\nendsolid test\n"

        with pytest.raises(MeshFileError, match=re.escape(message)):
            read(".stl", text.replace(old, new, 1))

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (stl_binary(HULL)[:-10], "announces 26 triangles, which take 1384: it is cut off"),
            (stl_binary(HULL) + b"x", "has 1385 bytes"),
            (b"\0" * 50, "is neither text STL"),
            (b"\0" * 84, "has no faces"),
            (b"solid\nendsolid\n", "has no faces"),
        ],
    )
    def test_faults_in_binary(self, read, data, message):
        """Lengths that do not fit are named with what was expected."""
        assert HULL.face_count == 26
        with pytest.raises(MeshFileError, match=re.escape(message)):
            read(".stl", data)


class TestPly:
    @pytest.mark.parametrize("form", PLY_FORMS)
    @pytest.mark.parametrize("extras", [False, True])
    @pytest.mark.parametrize("mesh", [HOUSE, HULL], ids=["polygons", "triangles"])
    def test_forms(self, read, form, extras, mesh):
        """Text and both byte orders, faces of one or several sizes, other properties ignored."""
        assert_equal(read(".ply", ply_bytes(mesh, form, extras=extras)), mesh)

    @pytest.mark.parametrize("form", PLY_FORMS)
    @pytest.mark.parametrize("count", ["uchar", "int"])
    @pytest.mark.parametrize("index", ["uchar", "short", "uint"])
    def test_types(self, read, form, count, index):
        """Every type of number a PLY file may use for counts and indices."""
        assert_equal(read(".ply", ply_bytes(HOUSE, form, count=count, index=index)), HOUSE)

    def test_single_precision(self, read):
        """Coordinates in single precision."""
        mesh = read(".ply", ply_bytes(HULL, "binary_big_endian", real="float"))

        assert np.array_equal(mesh.vertices, HULL.vertices.astype(np.float32))

    def test_windows_line_ends(self, read):
        """A text file written on Windows."""
        assert_equal(read(".ply", ply_bytes(HOUSE, "ascii").replace(b"\n", b"\r\n")), HOUSE)

    @pytest.mark.parametrize("form", PLY_FORMS)
    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (b"ply\n", b"plx\n", "mesh.ply:1: does not begin with the line 'ply'."),
            (b"end_header", b"end_heuder", "mesh.ply:10: 'end_heuder' is not a PLY header line."),
            (b" 1.0\n", b" 2.0\n", "mesh.ply:2: 'format"),
            (b"vertex 10", b"vertex -1", "mesh.ply:4: 'element vertex -1' is not"),
            (b"element face", b"element fuce", "the header has 0 elements 'face'; one is needed."),
            (b"double z", b"double y", "mesh.ply:7: property y is there twice."),
            (b"double z", b"double w", "the vertices have no property z."),
            (b"vertex_indices", b"vertex_numbers", "no list property vertex_indices."),
            (b"int vertex_indices", b"float vertex_indices", "are not integers"),
            (b"vertex 10", b"vertex 999999999999", "mesh.ply"),
            (b"face 7", b"face 999999999999", "mesh.ply"),
            (b"face 7", b"face 6", "mesh.ply"),
            (b"face 7", b"face 0", "mesh.ply"),
        ],
    )
    def test_faults_in_header(self, read, form, old, new, message):
        """A header that is no PLY header, or does not fit the data, in text and binary."""
        data = ply_bytes(HOUSE, form)
        assert old in data

        with pytest.raises(MeshFileError, match=re.escape(message)):
            read(".ply", data.replace(old, new, 1))

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (b"4 0 1 6 5", b"4 0 1 6", "mesh.ply:23: '4 0 1 6' is not a face"),
            (b"4 0 1 6 5", b"x 0 1 6", "mesh.ply:23: 'x 0 1 6' is not a face"),
            (b"4 0 1 6 5", b"4 0 1 6 y", "mesh.ply:23: '4 0 1 6 y' has a corner that is not"),
            (
                b"4 0 1 6 5",
                b"4 0 1 6 10",
                "mesh.ply:23: face 2 refers to vertex 10, but there are 10",
            ),
            (b"4 0 1 6 5", b"4 0 1 6 -1", "mesh.ply:23: face 2 refers to vertex -1"),
            (b"4 0 1 6 5\n", b"", "mesh.ply:26: the header announces 17 lines of data, but"),
            (b"2.0 0.0 0.0", b"2.0 0.0 -", "mesh.ply:12: '-' in '2.0 0.0 -' is not a finite"),
            (b"2.0 0.0 0.0", b"2.0 0.0", "mesh.ply:12: '2.0 0.0' has 2 numbers where 3"),
        ],
    )
    def test_faults_in_text(self, read, old, new, message):
        """The line is named, and what is wrong with it."""
        data = ply_bytes(HOUSE, "ascii")
        assert old in data

        with pytest.raises(MeshFileError, match=re.escape(message)):
            read(".ply", data.replace(old, new, 1))

    @pytest.mark.parametrize("form", PLY_FORMS[1:])
    def test_faults_in_binary(self, read, form):
        """Cut off, too long, a vertex number out of range, a list longer than the file."""
        data = ply_bytes(HOUSE, form)
        with pytest.raises(MeshFileError, match="ends before all of the 7 'face' elements"):
            read(".ply", data[:-1])
        with pytest.raises(MeshFileError, match="3 bytes are left over"):
            read(".ply", data + b"abc")
        with pytest.raises(MeshFileError, match="face 6 refers to vertex"):
            read(".ply", data[:-4] + b"\x7f\x7f\x7f\x7f")
        with pytest.raises(MeshFileError, match="list lengths are damaged"):
            read(".ply", data[:-17] + b"\xff" + data[-16:])


def test_scale(read):
    """Lengths become metres."""
    assert np.array_equal(read(".obj", obj_bytes(HOUSE), scale=0.5).vertices, HOUSE.vertices / 2)


SIGNALLING = {"double": b"\x01\0\0\0\0\0\xf0\x7f", "float": b"\x01\0\x80\x7f"}  # NaN


@pytest.mark.parametrize("real", SIGNALLING)
def test_a_signalling_nan_is_told_of_once(read, real):
    """Computing with such a number raises a flag of the processor; the check names the vertex."""
    data = ply_bytes(HOUSE, "binary_little_endian", real=real)
    begin = data.index(b"end_header\n") + len(b"end_header\n")
    number = SIGNALLING[real]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mesh = read(".ply", data[:begin] + number + data[begin + len(number) :], scale=0.5)
        (defect,) = check_mesh(mesh)

    assert "vertex 0 is (nan" in str(defect)


@given(numbers=st.binary(min_size=24, max_size=24), scale=st.floats(1e-6, 1e6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bits_are_a_number_or_refused(read, numbers, scale):
    """Whatever the bits of a vertex and the scale are, nothing but the check speaks of them."""
    data = ply_bytes(HOUSE, "binary_little_endian")
    begin = data.index(b"end_header\n") + len(b"end_header\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mesh = read(".ply", data[:begin] + numbers + data[begin + 24 :], scale=scale)
        defects = check_mesh(mesh)

    assert np.isfinite(mesh.vertices).all() or defects


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_bad_scale(read, scale):
    """A scale that is no positive number is the caller's mistake, not the file's."""
    with pytest.raises(ValueError, match="scale is"):
        read(".obj", obj_bytes(HOUSE), scale=scale)


def test_suffix_in_capitals(read):
    """MESH.STL is a mesh too."""
    assert read(".STL", stl_binary(HULL)).face_count == HULL.face_count


def test_files_that_are_not_there(tmp_path):
    """A missing file, a folder and a foreign suffix are named."""
    (tmp_path / "folder.obj").mkdir()
    with pytest.raises(MeshFileError, match=r"none\.obj: cannot be read: no such file"):
        read_mesh(tmp_path / "none.obj")
    with pytest.raises(MeshFileError, match=r"folder\.obj: cannot be read: it is a folder"):
        read_mesh(tmp_path / "folder.obj")
    with pytest.raises(MeshFileError, match=r"a\.fbx: is of an unknown kind \(\.fbx\); write"):
        read_mesh(tmp_path / "a.fbx")


def test_too_large_a_file(read, monkeypatch):
    """The limit is checked before the file is read."""
    monkeypatch.setattr("impulse_core.geometry.files.LARGEST_FILE", 100)

    with pytest.raises(MeshFileError, match="it has 101 bytes, and at most 100 are read"):
        read(".obj", b"#" * 101)


VALID_FILES = {
    "obj": (".obj", obj_bytes(HOUSE, "{0}/1")),
    "stl-text": (".stl", stl_text(fans(box_mesh()))),
    "stl-binary": (".stl", stl_binary(HULL)),
    **{f"ply-{form}": (".ply", ply_bytes(HOUSE, form)) for form in PLY_FORMS},
    "ply-extras": (".ply", ply_bytes(HOUSE, "binary_little_endian", extras=True)),
}


def outcome(tmp_path, suffix, data):
    """Reads damaged bytes; whatever is read must be something check_mesh can look at."""
    path = tmp_path / f"damaged{suffix}"
    path.write_bytes(data)
    message = str(path)
    try:
        check_mesh(read_mesh(path))
    except MeshFileError as error:
        message = str(error)
    assert message.startswith(str(path))


damage = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("name", VALID_FILES)
@given(st.data())
@damage
def test_cut_files(tmp_path, name, data):
    """A file cut off anywhere is read or refused, never a traceback."""
    suffix, content = VALID_FILES[name]

    outcome(tmp_path, suffix, content[: data.draw(st.integers(0, len(content)))])


@pytest.mark.parametrize("name", VALID_FILES)
@given(st.data())
@damage
def test_damaged_files(tmp_path, name, data):
    """A file with some bytes overwritten is read or refused, never a traceback."""
    suffix, content = VALID_FILES[name]
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        chunk = data.draw(st.binary(min_size=1, max_size=4))
        damaged[at : at + len(chunk)] = chunk

    outcome(tmp_path, suffix, bytes(damaged))


@pytest.mark.parametrize("suffix", [".obj", ".stl", ".ply"])
@given(content=st.binary(max_size=300))
@damage
def test_noise(tmp_path, suffix, content):
    """Any bytes at all are refused or read, never a traceback."""
    outcome(tmp_path, suffix, content)
