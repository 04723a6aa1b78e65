#!/usr/bin/env bash
# Prepares this machine and .venv:  tools/setup.sh demo|test|ci
# demo: what it takes to build and run Trellis; test: what tests and pages need as well; ci: what the other checks need,
# the CUDA compiler and a device of OpenCL among it. Asks apt only for what is missing, and does nothing the second
# time.
set -euo pipefail
cd "$(dirname "$0")/.."
level=${1:-demo}

fail() {
    echo "setup: $1" >&2
    exit 1
}

have_command() { command -v "$1" >/dev/null 2>&1; }
have_header() { echo "#include <$1>" | g++ -E -x c++ - >/dev/null 2>&1; }
# AMD's, with which clang makes kernels for HIP.
have_device_library() { dpkg -s rocm-device-libs >/dev/null 2>&1 || [ -e /opt/rocm/amdgcn/bitcode/ocml.bc ]; }
have_python_header() { python3 -c 'import sysconfig, os, sys
sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; }
cmake_is_new_enough() { cmake --version | python3 -c 'import sys
version = sys.stdin.readline().split()[2].split(".")
sys.exit((int(version[0]), int(version[1])) < (3, 25))'; }

# Shows the latest line of a command's output on the terminal, if there is one.
latest_line() {
    if [ -t 1 ]; then
        awk '{ printf "\r\033[K%.100s", $0; fflush() } END { printf "\r\033[K" }'
    else
        cat >/dev/null
    fi
}

pip_install() { .venv/bin/python -m pip --disable-pip-version-check install "$@" | latest_line; }

missing_packages() {
    have_command g++ || echo g++
    have_command cmake || echo cmake
    have_command ninja || echo ninja-build
    python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    have_python_header || echo python3-dev
    have_command mpicxx || echo libopenmpi-dev
    have_command mpirun || echo openmpi-bin
    have_header asio.hpp || echo libasio-dev
    have_header openssl/ssl.h || echo libssl-dev
    have_header fftw3.h || echo libfftw3-dev
    [ "$level" != demo ] || return 0
    have_header gtest/gtest.h || echo libgtest-dev
    [ "$level" = ci ] || return 0
    have_command ccache || echo ccache
    have_command valgrind || echo valgrind
    have_command ffmpeg || echo ffmpeg
    have_command gfortran || echo gfortran
    have_command clang++-15 || echo clang-15
    have_command llvm-spirv-15 || echo llvm-spirv-15
    have_command ld.lld-15 || echo lld-15
    have_device_library || echo rocm-device-libs
    have_header CL/cl_ext.h || echo opencl-c-headers
    ldconfig -p | grep -q libOpenCL.so.1 || echo ocl-icd-libopencl1
    # Ubuntu has Chromium only as a snap
    have_command chromium || ! grep -q '^ID=debian' /etc/os-release || echo chromium
}

install_packages() {
    have_command apt-get || fail "please install $* first; this script can do so on Debian and Ubuntu only"
    as_root=
    if [ "$(id -u)" != 0 ]; then
        have_command sudo || fail "please install $* first; that needs root or sudo, and neither is at hand"
        as_root=sudo
    fi
    echo "setup: installing $*"
    $as_root apt-get -q update | latest_line || fail "apt-get update failed (see above); is this machine online?"
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@" | latest_line ||
        fail "apt-get could not install $* (see above)"
}

have_command python3 || fail "python3 is missing; please install Python 3.10 or newer"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "$(python3 --version) is too old; Trellis needs Python 3.10 or newer"

packages=$(missing_packages | tr '\n' ' ')
# shellcheck disable=SC2086 # one word for each package
[ -z "$packages" ] || install_packages $packages

# The virtual environment; pip is called only when pyproject.toml has changed since the last time.
stamp=.venv/trellis-$level.stamp
if [ ! -e "$stamp" ] || ! cmp -s pyproject.toml "$stamp"; then
    [ -x .venv/bin/python ] || python3 -m venv .venv || fail "could not make a virtual environment in .venv"
    echo "setup: installing Python packages into .venv"
    pip_install 'scikit-build-core>=0.10' 'nanobind>=3.1' ||
        fail "pip could not install the build tools (see above); is this machine online?"
    # Ubuntu 22.04 has an older CMake; a newer one goes into .venv.
    cmake_is_new_enough || pip_install 'cmake>=3.25' || fail "pip could not install cmake (see above)"
    # The package itself, in place: CMake builds trellis._core into python/trellis.
    [ "$level" = demo ] && package=. || package='.[test,docs]'
    pip_install --no-build-isolation --config-settings=wheel.cmake=false --editable "$package" ||
        fail "pip could not install the Python packages (see above)"
    cp pyproject.toml "$stamp"
fi

# The CUDA compiler from PyPI where the machine has none, so that kernels for GPUs are always compiled. NVIDIA's
# packages lack the links by which CMake finds the runtime.
if [ "$level" = ci ] && ! have_command nvcc && [ ! -x .venv/bin/nvcc ]; then
    echo "setup: installing the CUDA compiler into .venv"
    pip_install 'nvidia-cuda-nvcc==13.*' 'nvidia-cuda-runtime==13.*' 'nvidia-cuda-cccl==13.*' \
        'nvidia-cuda-crt==13.*' 'nvidia-nvvm==13.*' ||
        fail "pip could not install the CUDA compiler (see above); is this machine online?"
    cuda=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib") + "/nvidia/cu13")')
    ln -sfn lib "$cuda/lib64"
    ln -sf libcudart.so.13 "$cuda/lib/libcudart.so"
    printf '#!/bin/sh\nexec "%s/bin/nvcc" "$@"\n' "$cuda" >.venv/bin/nvcc
    chmod +x .venv/bin/nvcc
fi

# A device of OpenCL, Intel's runtime for processors, so that kernels for GPUs always run. Tests find it in .venv/lib
# (tests/CMakeLists.txt, tests/python/conftest.py). It is Intel's, and never shipped.
if [ "$level" = ci ] && [ ! -e .venv/lib/libintelocl.so ]; then
    echo "setup: installing Intel's OpenCL runtime for processors into .venv"
    pip_install intel-opencl-rt intel-cmplr-lib-rt ||
        fail "pip could not install Intel's OpenCL runtime (see above); is this machine online?"
fi
