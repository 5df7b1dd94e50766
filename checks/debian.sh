#!/usr/bin/env bash
# debian.sh [12|13] [COMMAND …]: runs commands in a clean checkout of HEAD on a minimal Debian 12 or 13. Without a number, runs them
# on both; without COMMAND, runs the commands of the README. On demand only: continuous integration runs on Debian 12.
#
# The systems are chroots in /var/cache/gradus. Packages stay installed for the next run. Needs root, debootstrap and a network.
# environment: GRADUS_DEBIAN_MIRROR  address of the packages [debootstrap's default mirror]
#              http_proxy            also used in the chroots
#              CCACHE_DIR            if set, the chroots compile with ccache and this folder
set -euo pipefail
[[ -z ${CCACHE_DIR:-} ]] || CCACHE_DIR=$(realpath "$CCACHE_DIR")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cache=/var/cache/gradus
mirror=${GRADUS_DEBIAN_MIRROR:-}
declare -A suites=([12]=bookworm [13]=trixie)

versions=(12 13)
if (($#)) && [[ -n ${suites[$1]:-} ]]; then
  versions=("$1")
  shift
fi
commands=("$@")
((${#commands[@]})) || commands=(./run './run test')
((EUID == 0)) || { echo 'checks/debian.sh: a chroot needs root: sudo checks/debian.sh' >&2; exit 1; }

# enter ROOT COMMAND: runs the command in a chroot. The chroot has its own namespaces, so that nothing stays mounted or running. It
# also has its own device files, because its root user could rename or overwrite the host's.
enter() {
  local environment=(HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM="${TERM:-dumb}" http_proxy="${http_proxy:-}")
  if [[ -n ${CCACHE_DIR:-} ]]; then
    mkdir -p "$1/ccache"
    environment+=(CCACHE_DIR=/ccache CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  unshare --mount --pid --fork --kill-child --mount-proc="$1/proc" bash -euc '
    root=$1 command=$2
    mkdir -p "$root/dev/shm"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    mount -t sysfs -o ro sysfs "$root/sys"
    [[ -z ${CCACHE_DIR:-} ]] || mount --bind "$CCACHE_DIR" "$root/ccache"
    exec chroot "$root" env -i "${@:3}" bash -c "$command"' bash "$1" "$2" "${environment[@]}" </dev/null
}

mkdir -p "$cache"
for version in "${versions[@]}"; do
  root=$cache/debian-$version
  exec {lock}>"$root.lock"
  flock --nonblock "$lock" || { echo "checks/debian.sh: $root is in use by another run" >&2; exit 1; }
  if [[ ! -d $root ]]; then
    echo "Debian $version: making $root${mirror:+ from $mirror}"
    rm -rf "$root.new"
    debootstrap --variant=minbase "${suites[$version]}" "$root.new" ${mirror:+"$mirror"} >"$root.log" ||
      { echo "checks/debian.sh: debootstrap failed; see $root.log" >&2; exit 1; }
    mv "$root.new" "$root"
  fi
  [[ -z ${CCACHE_DIR:-} || -x $root/usr/bin/ccache ]] ||
    enter "$root" 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ccache' >"$root.log"

  rm -rf "$root/gradus"
  git -c safe.directory="$PWD" bundle create --quiet "$root/gradus.bundle" HEAD
  git -c advice.detachedHead=false clone --quiet "$root/gradus.bundle" "$root/gradus"
  for command in "${commands[@]}"; do
    echo "Debian $(<"$root/etc/debian_version"): $command"
    enter "$root" "cd /gradus && $command"
  done
  exec {lock}>&-
  echo "Debian $version: passed"
done
