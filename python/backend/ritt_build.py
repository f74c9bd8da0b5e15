"""Builds the package for pip: a wheel, a source archive, an editable installation (PEP 517, PEP 660).

It needs nothing but Python's own library, CMake and a C compiler with GMP, MPFR and SuiteSparse. The wheel contains these
libraries, so that the machine on which it is installed needs none of them. The version is the one in include/ritt.h.
"""

import base64
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "ritt"
# what the source archive holds: everything that the module is built from
SOURCES = ["CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "cmake", "include", "src", "python", "tools"]
# libraries that every Linux system has, as wheels for manylinux may assume
OF_SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s)\.so|ld-linux|linux-vdso")


def version():
    text = (ROOT / "include" / "ritt.h").read_text()
    return re.search(r'^#define RITT_VERSION +"(.*)"', text, re.M).group(1)


# ---- building the module ----


def _run(*command):
    try:
        subprocess.run([str(word) for word in command], check=True)
    except FileNotFoundError:
        raise SystemExit(f"building Ritt needs {command[0]}; on Debian: apt install {command[0]}") from None


def _compile():
    """Builds the extension module and gives its path."""
    build = ROOT / "build" / f"wheel-{sys.implementation.cache_tag}"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    _run("cmake", "-S", ROOT, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O2",
         "-DRITT_WHEEL=ON", f"-DPython3_EXECUTABLE={sys.executable}", f"-DPython3_INCLUDE_DIR={sysconfig.get_path('include')}")
    _run("cmake", "--build", build, "--target", "ritt_python")
    return next((build / "python").glob("_ritt*.so"))


def _libraries(module):
    """The shared libraries that the module needs and that not every system has: {name: path}."""
    printed = subprocess.run(["ldd", str(module)], check=True, capture_output=True, text=True).stdout
    found = dict(re.findall(r"(\S+) => (/\S+)", printed))
    return {name: pathlib.Path(path).resolve() for name, path in found.items() if not OF_SYSTEM.match(name)}


def _licences(libraries):
    """The licences of the bundled libraries, where the system keeps them: {name: text}."""
    found = {}
    for name, path in libraries.items():
        owner = subprocess.run(["dpkg", "-S", str(path)], capture_output=True, text=True).stdout if shutil.which("dpkg") else ""
        text = pathlib.Path("/usr/share/doc") / owner.split(":")[0] / "copyright"
        if owner and text.is_file():
            found[name] = text.read_text(errors="replace")
    return found


def _tag(files):
    """The tag of the wheel: one for CPython 3.11 and all later versions, or one for this version."""
    needed = max((tuple(map(int, v.split(b"."))) for f in files for v in re.findall(rb"GLIBC_(2\.\d+)\b", f.read_bytes())),
                 default=None)
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if needed and machine.startswith("linux_"):
        machine = f"manylinux_{needed[0]}_{needed[1]}_{machine[len('linux_'):]}"
    if sys.version_info >= (3, 11):
        return f"cp311-abi3-{machine}"
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return f"{python}-{python}-{machine}"


# ---- the files of a wheel ----


def _metadata():
    head = ["Metadata-Version: 2.1", "Name: ritt", f"Version: {version()}",
            "Summary: Differential-algebraic equations of any index, solved on their manifold", "License: BSD-3-Clause",
            "Requires-Python: >=3.9", "Requires-Dist: numpy", "Description-Content-Type: text/markdown"]
    return "\n".join(head) + "\n\n" + (ROOT / "README.md").read_text()


def _info(tag):
    wheel = f"Wheel-Version: 1.0\nGenerator: ritt_build\nRoot-Is-Purelib: false\nTag: {tag}\n"
    return {"METADATA": _metadata(), "WHEEL": wheel, "licenses/LICENSE": (ROOT / "LICENSE").read_text()}


def _write(folder, tag, files):
    """Writes a wheel with these files: {path in the wheel: bytes, text or path}. Gives its name."""
    name = f"ritt-{version()}-{tag}.whl"
    info = f"ritt-{version()}.dist-info"
    files = {**files, **{f"{info}/{key}": text for key, text in _info(tag).items()}}
    record = []
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            data = content.read_bytes() if isinstance(content, pathlib.Path) else content
            data = data.encode() if isinstance(data, str) else data
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))  # the same bytes from the same files
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in path else 0o644) << 16
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
        record.append(f"{info}/RECORD,,")
        archive.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return name


def _stripped(path, folder):
    """A copy of a library without symbols that only debuggers need."""
    copy = folder / path.name
    shutil.copyfile(path, copy)
    copy.chmod(0o755)
    if shutil.which("strip"):
        _run("strip", "--strip-unneeded", copy)
    return copy


# ---- what pip calls ----


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / f"ritt-{version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata())
    (folder / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: ritt_build\nRoot-Is-Purelib: false\n")
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    module = _compile()
    libraries = _libraries(module)
    stripped = module.parent / "stripped"
    shutil.rmtree(stripped, ignore_errors=True)
    stripped.mkdir()
    files = {f"ritt/{f.name}": f for f in PACKAGE.iterdir() if f.suffix in (".py", ".pyi") or f.name == "py.typed"}
    files[f"ritt/{module.name}"] = _stripped(module, stripped)
    for name, path in libraries.items():
        files[f"ritt/libs/{name}"] = _stripped(path, stripped)
    for name, text in _licences(libraries).items():
        files[f"ritt-{version()}.dist-info/licenses/{name}.txt"] = text
    return _write(wheel_directory, _tag([f for path, f in files.items() if path.startswith("ritt/") and ".so" in path]), files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Puts the module into python/ritt, and python/ on the path."""
    module = _compile()
    shutil.copy2(module, PACKAGE / module.name)
    return _write(wheel_directory, _tag([module]), {"ritt.pth": f"{PACKAGE.parent}\n"})


def build_sdist(sdist_directory, config_settings=None):
    name = f"ritt-{version()}"

    def keep(entry):
        base = os.path.basename(entry.name)
        return None if base == "__pycache__" or base.endswith((".so", ".pyc")) else entry

    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in SOURCES:
            archive.add(ROOT / path, f"{name}/{path}", filter=keep)
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        data = _metadata().encode()
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return f"{name}.tar.gz"
