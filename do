#!/bin/sh
# ./do TASK: what users and developers run, over the CMake presets. On Debian it installs what is missing.
set -eu
here=$PWD
cd "$(dirname "$0")"
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
to_build='gcc cmake ninja-build libc6-dev libgmp-dev libmpfr-dev libopenblas-serial-dev liblapacke-dev libsuitesparse-dev libhdf5-dev zlib1g-dev pkg-config'
to_draw=gnuplot-nox
to_split=singular-ui # optional: the branches of constraints
to_python='python3-dev python3-numpy python3-pytest python3-matplotlib python3-scipy python3-sympy python3-pandas python3-xarray python3-nbconvert python3-ipykernel'
to_wheel='python3-venv python3-pip'
python=/usr/bin/python3 # Debian's own, for which its packages are
to_compare=libsundials-dev # solvers to measure against
to_check='clang libclang-rt-dev clang-format valgrind libopenmpi-dev openmpi-bin tcc'
to_analyse='clang-tidy cppcheck python3'
to_document='mkdocs python3-pil nodejs'
to_port='gcc-aarch64-linux-gnu qemu-user musl-tools' # other machines
to_web='nodejs npm emscripten gcc cmake make xz-utils libc6-dev'

usage() {
  cat <<'END'
usage: ./do TASK
  build           build program and libraries; the program is build/release/ritt
  demo            solve the pendulum: pendulum.csv and pendulum.svg in the current folder
  check           build the release and run all its tests
  check-deep      web page, documentation site, sanitizers, clang, installation, short fuzzing; CI runs check and check-deep
  check-all       both, and what takes long: all models in the page, arm64 and musl, thread sanitizer, analysis, longer fuzzing, coverage
  metrics         figures of the sources, folder by folder
  bench [NAME] [FOLDER]  make all benchmark tables, one of them (bench/all lists them) or 'quick', in build/bench or FOLDER
  papers          make the tables and figures of the papers again: docs/papers*.md, docs/pictures/papers
  python          build the Python package in place, under python/
  wheel           build the Python wheel in build/wheel and test it in a fresh environment
  docs            make the pages of the documentation in build/site
  pictures        make the pictures of the documentation again, also those of docs/gallery.md
  reliability [PART]...  make the figures of docs/reliability.md again (hours; tools/reliability lists the parts)
  web             build the web page with the engine in it, build/web/index.html
  format          format the sources
  fuzz [MINUTES]  fuzz all targets, MINUTES in total (default 10)
  random [COUNT]  COUNT random systems of each family, with known answers (default 10000)
  cov             branch coverage of the tests, folder by folder; fails below 90 %
  analyse [FILE]  static analysis of src/ and cli/: clang-tidy, cppcheck and gcc's analyser
  install [--dry-run] PREFIX  install the release, or only list the files
  archive         write the sources as build/ritt-VERSION.tar.gz
END
}

say() { printf '== %s\n' "$*"; }

# ---- installing what is missing ----

# compiles HEADER COMPILER FLAG...: does a program with this header compile and link?
compiles() {
  include=$1
  shift
  printf '#include <stdio.h>\n#include <%s>\nint main(void) { return 0; }\n' "$include" | "$@" -x c - -o /dev/null
}
has() {
  case $1 in
  ninja-build) command -v ninja ;;
  gnuplot-nox) command -v gnuplot ;;
  singular-ui) command -v Singular ;;
  libc6-dev) compiles stdlib.h gcc ;;
  libgmp-dev) compiles gmp.h gcc -lgmp ;;
  libmpfr-dev) compiles mpfr.h gcc -lmpfr -lgmp ;;
  liblapacke-dev) compiles lapacke.h gcc -llapacke ;;
  libsuitesparse-dev) compiles suitesparse/klu.h gcc -lklu ;;
  libopenblas-serial-dev) compiles math.h gcc -lopenblas ;;
  libsundials-dev) compiles cvode/cvode_proj.h gcc -lsundials_cvode ;;
  libhdf5-dev) command -v h5cc || pkg-config --exists hdf5 ;;
  nodejs) command -v node ;;
  emscripten) command -v emcc ;;
  xz-utils) command -v xz ;;
  python3-dev) "$python" -c 'import sysconfig, os; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))' ;;
  python3-pil) "$python" -c 'import PIL' ;;
  python3-venv) "$python" -c 'import venv, ensurepip' ;;
  python3-*) "$python" -c "import ${1#python3-}" ;;
  zlib1g-dev) compiles zlib.h gcc -lz ;;
  libopenmpi-dev) command -v mpicc ;;
  openmpi-bin) command -v mpirun ;;
  gcc-aarch64-linux-gnu) command -v aarch64-linux-gnu-gcc ;;
  qemu-user) command -v qemu-aarch64 ;;
  musl-tools) command -v musl-gcc ;;
  libclang-rt-dev) compiles math.h clang -fsanitize=address,undefined ;;
  *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

# The Debian name of a package. The name of clang's runtime contains the version of clang.
name_of() {
  case $1 in
  libclang-rt-dev)
    version=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
    apt-cache show "libclang-rt-$version-dev" >/dev/null 2>&1 && echo "libclang-rt-$version-dev" || echo "libclang-common-$version-dev"
    ;;
  *) echo "$1" ;;
  esac
}

need() {
  missing=
  for package in "$@"; do has "$package" || missing="$missing $package"; done
  [ -n "$missing" ] || return 0
  root=
  [ "$(id -u)" = 0 ] || root=sudo
  if ! command -v apt-get >/dev/null 2>&1 || { [ -n "$root" ] && ! command -v sudo >/dev/null 2>&1; }; then
    echo "please install (by the names of Debian):$missing"
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  $root apt-get update -q >/dev/null
  names=
  for package in $missing; do names="$names $(name_of "$package")"; done
  say "installing:$names"
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $names >/dev/null
}

# ---- parts of the tasks ----

# the C files; an archive has no git
sources() { git ls-files '*.c' '*.h' 2>/dev/null || find src include cli python examples bench test tools -name '*.[ch]'; }
build() { cmake --preset "$1" >/dev/null && cmake --build --preset "$1"; }
# program and libraries, without the tests
build_product() { cmake --preset release >/dev/null && cmake --build --preset release --target product; }
tests() { ctest --preset "$1" -j "$jobs" --no-tests=error; }

format_check() {
  # other versions of clang-format give other results
  case $(clang-format --version) in
  *version\ 14.*) sources | xargs clang-format --dry-run -Werror ;;
  *) echo "format: not checked, this needs clang-format 14" ;;
  esac
}

build_python() {
  cmake --preset release -DRITT_PYTHON=ON -DPython3_EXECUTABLE="$python" >/dev/null
  cmake --build --preset release --target ritt_python ritt_program
}

# fuzz MINUTES: all targets share MINUTES; one target per core at a time
fuzz() {
  build fuzz
  set -- "$1" build/fuzz/test/fuzz_*
  seconds=$(($1 * 60 / ($# - 1)))
  shift
  printf '%s\n' "$@" | xargs -P "$jobs" -n 1 tools/fuzz "$seconds"
}

coverage() {
  build cov
  find build/cov -name '*.gcda' -delete
  tests cov || say 'some tests failed; code that only they reach counts as not covered'
  build/cov/test/hostile_t_places_c all || say 'injected failures: some were not handled'
  python3 tools/coverage build/cov --least 90
}

analyse() {
  cmake --preset clang >/dev/null
  python3 tools/analyse build/clang "$@"
}

# stage NAME COMMAND...: says the name and runs the command; if it fails the script ends and names the stage
stage() {
  stage_name=$1
  trap 'code=$?; [ $code = 0 ] || say "failed: $stage_name"; exit $code' EXIT
  say "$stage_name"
  shift
  "$@"
}

build_and_test() {
  build "$1"
  tests "$1"
}

check() {
  stage 'format' format_check
  stage 'layers' tools/check_layers
  stage 'Python package' build_python
  stage 'release build and tests' build_and_test release
}

check_deep() {
  stage 'web page' check_page 12
  stage 'pages of the documentation' tools/site build/site
  stage 'installation' tools/check_install build/release
  stage 'build and tests with sanitizers' build_and_test dev
  stage 'clang without warnings' build clang
  stage 'wheel' tools/wheel
  stage 'fuzzing' fuzz 2
}

# check_page [COUNT] [TESTS]: the web page in Debian's Chromium, with COUNT models ($RITT_WEB_SEED selects others) or all, and only TESTS
# if there are any. Without a network it cannot be built.
check_page() {
  code=0
  (need $to_web chromium) || code=3
  [ "$code" != 0 ] || tools/web build/web || code=$?
  if [ "$code" = 3 ]; then
    echo "the web page was not checked: what it is made of could not be fetched"
    return 0
  fi
  [ "$code" = 0 ] || return "$code"
  RITT_WEB_SAMPLE=${1:-} RITT_WEB_TESTS=${2:-} RITT_WEB_SEED=${RITT_WEB_SEED:-1} tools/check_web build/release/ritt
}

# ---- tasks ----

case ${1:-help} in
build)
  need $to_build
  build_product
  echo "the program is build/release/ritt"
  ;;
demo)
  need $to_build $to_draw
  build_product
  program=$PWD/build/release/ritt model=$PWD/models/classics/pendulum/pendulum.ritt
  cd "$here"
  "$program" run "$model" -o pendulum.csv --plot pendulum.svg
  echo "the pendulum's table is pendulum.csv, its picture pendulum.svg"
  ;;
check)
  need $to_build $to_draw $to_split $to_check $to_python
  check
  say "check: everything holds"
  ;;
check-deep)
  need $to_build $to_draw $to_split $to_check $to_python $to_wheel $to_document
  stage 'Python package' build_python
  stage 'release build' build release
  check_deep
  say "check-deep: everything holds"
  ;;
check-all)
  need $to_build $to_draw $to_split $to_check $to_analyse $to_python $to_wheel $to_document $to_port
  check
  check_deep
  stage 'static analysis' analyse
  stage 'memory, factorisations, values and system calls fail at every place' build/dev/test/hostile_t_places_c all
  stage 'every allocation fails once' build/release/test/hostile_t_memory_c all
  stage 'emitted solvers, optimised' env RITT_EMIT_ALL=1 ctest --test-dir build/release -R cli/t_emit --output-on-failure
  stage 'all models in the web page' check_page '' models
  stage 'all models as FMUs' env RITT_FMI_ALL=1 ctest --test-dir build/release -R cli/t_fmi_models --output-on-failure
  stage 'ten million rows' env RITT_ROWS=10000000 ctest --test-dir build/release -R cli/t_bounded --output-on-failure
  stage '200 kills' env RITT_KILLS=200 ctest --test-dir build/release -R cli/t_kill --output-on-failure
  stage 'figures of docs/reliability.md' tools/reliability build/release numbers kills determinism digits
  stage 'arm64 and musl' tools/check_portable
  stage 'thread sanitizer' build_and_test tsan
  stage 'longer fuzzing' fuzz 60
  stage 'coverage' coverage
  say "check-all: everything holds"
  ;;
metrics)
  need python3
  tools/metrics
  ;;
bench)
  need $to_build $to_draw
  # SUNDIALS brings many packages; if it cannot be installed the tables leave it out
  (need $to_compare) || echo "without SUNDIALS: $to_compare is not installed"
  build release
  cmake --build --preset release --target bench
  case ${3:-build/bench} in /*) folder=${3:-} ;; *) folder=${3:+$here/$3} ;; esac
  bench/all build/release "${2:-all}" "${folder:-build/bench}"
  ;;
papers)
  need $to_build $to_draw python3
  build release
  cmake --build --preset release --target bench_papers_tables
  python3 tools/papers build/release/ritt --page build/release/bench_papers_tables docs
  ;;
python)
  need $to_build $to_python
  build_python
  echo "the package is python/ritt: PYTHONPATH=$PWD/python $python"
  ;;
wheel)
  need $to_build $to_python $to_wheel
  tools/wheel
  ;;
docs)
  need $to_document npm
  tools/site build/site
  ;;
pictures)
  need $to_build $to_draw $to_split $to_document
  build release
  tools/pictures "$PWD/build/release/ritt"
  python3 tools/papers build/release/ritt --figures docs/pictures/papers
  tools/gallery "$PWD/build/release/ritt"
  ;;
reliability)
  need $to_build python3
  build release
  shift
  tools/reliability build/release "$@"
  ;;
web)
  need $to_web
  tools/web build/web
  ;;
format)
  need clang-format
  sources | xargs clang-format -i
  ;;
fuzz)
  need $to_build $to_check
  fuzz "${2:-10}"
  ;;
random)
  need $to_build
  build release
  tools/random "${2:-10000}" build/release
  ;;
cov)
  need $to_build $to_draw $to_split python3
  coverage
  ;;
analyse)
  need $to_build $to_check $to_analyse
  shift
  analyse "$@"
  ;;
install)
  dry_run=
  [ "${2:-}" != --dry-run ] || { dry_run=yes; shift; }
  [ -n "${2:-}" ] || { echo "which folder? ./do install [--dry-run] PREFIX"; exit 2; }
  case $2 in /*) prefix=$2 ;; *) prefix=$here/$2 ;; esac
  need $to_build
  build_product >&2
  if [ -n "$dry_run" ]; then
    rm -rf build/dry-run
    cmake --install build/release --prefix "$PWD/build/dry-run" >/dev/null
    (cd build/dry-run && find . -type f -o -type l) | sort | sed "s|^[.]|$prefix|"
  else
    cmake --install build/release --prefix "$prefix"
    command -v ritt >/dev/null || echo "to call the program as 'ritt': export PATH=$prefix/bin:\$PATH"
  fi
  ;;
archive)
  need $to_build git
  name=ritt-$(sed -n 's/^#define RITT_VERSION *"\(.*\)".*/\1/p' include/ritt.h)
  mkdir -p build
  git archive --prefix="$name/" -o "build/$name.tar.gz" HEAD
  echo "build/$name.tar.gz"
  ;;
help | --help | -h) usage ;;
*)
  usage >&2
  exit 2
  ;;
esac
