"""Models as FMUs: the files of the archive, and the library in it."""

import ctypes
import platform
import zipfile

import pytest

import ritt

PENDULUM = """model pendulum
parameter g = 9.81, L = 1
variable x, y, lambda
equation
  x'' = -lambda*x
  y'' = -lambda*y - g
  x^2 + y^2 = L^2
start x = 1, x' = 0, y ~ 0
solve t = 0 .. 1
output x, y
"""


@pytest.mark.skipif(platform.system() != "Linux" or platform.machine() != "x86_64", reason="another folder of libraries")
@pytest.mark.parametrize("fmi, folder, version", [(2, "linux64", b"2.0"), (3, "x86_64-linux", b"3.0")])
def test_export(tmp_path, monkeypatch, fmi, folder, version):
    monkeypatch.setenv("CFLAGS", "-O0")
    path = ritt.Model.from_text(PENDULUM).export_fmu(tmp_path / "a.fmu", fmi=fmi, set={"g": 2})
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert "modelDescription.xml" in names and "sources/pendulum.c" in names
        text = archive.read("modelDescription.xml").decode()
        library = archive.extract(f"binaries/{folder}/pendulum.so", tmp_path)
    assert f'fmiVersion="{fmi}.0"' in text and 'start="2"' in text
    get_version = getattr(ctypes.CDLL(library), f"fmi{fmi}GetVersion")
    get_version.restype = ctypes.c_char_p
    assert get_version() == version


def test_wrong_kind():
    with pytest.raises(ritt.Error, match="not a kind of FMU"):
        ritt.Model.from_text(PENDULUM).export_fmu("a.fmu", kind="both of them")
