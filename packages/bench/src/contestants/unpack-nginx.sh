#!/bin/sh
# Unpacks the distribution's nginx under .tools/bench, with the same private use
# of apt as the bootstrap: nothing of the system is changed.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../../../.." && pwd -P)
tools=$root/.tools/bench
servers=$tools/servers
mkdir -p -- "$tools"

# shellcheck source=deploy/bootstrap/progress.sh
. "$root/deploy/bootstrap/progress.sh"
# shellcheck source=deploy/bootstrap/lock.sh
. "$root/deploy/bootstrap/lock.sh"
# shellcheck source=deploy/bootstrap/toolchain.sh
. "$root/deploy/bootstrap/toolchain.sh"
# shellcheck source=deploy/bootstrap/debian-packages.sh
. "$root/deploy/bootstrap/debian-packages.sh"

clean_up() {
  stop_progress
  remove_apt_workspace
  release_lock
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

acquire_lock
open_apt_workspace || fail 'the package lists of this system cannot be read'
unpack_packages nginx nginx-light || unpack_packages nginx nginx
