#!/bin/sh
# Prepares what Sluice needs, then replaces itself with COMMAND (exec). Outside
# the repository, only the caches of npm and pnpm change. Work that is already
# done is not repeated.
#
#   sh deploy/bootstrap.sh [--servers|--own-servers] [--llama-server] [--quiet] COMMAND [ARGUMENT…]
#
# COMMAND gets a PATH with the required versions of node and pnpm, and the
# installed packages of the lockfile.
#
#   --servers        COMMAND also gets Redis and NATS. REDIS_URL and NATS_URL are
#                    passed on if they are set. Otherwise SLUICE_REDIS_SERVER and
#                    SLUICE_NATS_SERVER name an executable, or docker:IMAGE.
#
#   --own-servers    The same, but REDIS_URL and NATS_URL are unset first. This is
#                    for tests and benchmarks: they must not write to servers that
#                    are in use.
#
#   --llama-server   COMMAND gets a llama.cpp server in SLUICE_LLAMA_SERVER, or
#                    the reason why there is none in SLUICE_LLAMA_SERVER_MISSING.
#
#   --quiet          Leaves out the lines that say which servers were chosen.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
tools=$root/.tools

# shellcheck source=deploy/bootstrap/progress.sh
. "$root/deploy/bootstrap/progress.sh"
# shellcheck source=deploy/bootstrap/lock.sh
. "$root/deploy/bootstrap/lock.sh"
# shellcheck source=deploy/bootstrap/toolchain.sh
. "$root/deploy/bootstrap/toolchain.sh"
# shellcheck source=deploy/bootstrap/debian-packages.sh
. "$root/deploy/bootstrap/debian-packages.sh"
# shellcheck source=deploy/bootstrap/servers.sh
. "$root/deploy/bootstrap/servers.sh"
# shellcheck source=deploy/bootstrap/llama-server.sh
. "$root/deploy/bootstrap/llama-server.sh"

clean_up() {
  stop_progress
  remove_apt_workspace
  remove_pnpm_settings
  release_lock
}
# A second signal must not interrupt clean_up: npm passes on a signal that the
# terminal has already sent to this script. The signals are ignored in the traps
# and not in clean_up, which also runs before exec: COMMAND would inherit that
# they are ignored.
ignore_signals='trap "" HUP INT TERM'
trap "$ignore_signals; clean_up" EXIT
trap "$ignore_signals; exit 129" HUP
trap "$ignore_signals; exit 130" INT
trap "$ignore_signals; exit 143" TERM

with_servers=no
with_llama_server=no
quiet=no
usage='usage: bootstrap.sh [--servers|--own-servers] [--llama-server] [--quiet] COMMAND [ARGUMENT…]'
while [ $# -gt 0 ]; do
  case $1 in
    --servers) with_servers=yes ;;
    --own-servers)
      with_servers=yes
      unset REDIS_URL NATS_URL
      ;;
    --llama-server) with_llama_server=yes ;;
    --quiet) quiet=yes ;;
    -*) fail "unknown option $1; $usage" ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || fail "no command; $usage"

prepare_toolchain
install_packages
if [ "$with_servers" = yes ]; then
  find_servers
fi
if [ "$with_llama_server" = yes ]; then
  find_llama_server
fi

# The command takes over this process, so the EXIT trap does not run.
clean_up
# Core dumps of the services would contain prompts and answers.
# shellcheck disable=SC3045 # a shell without this option changes nothing
ulimit -S -c 0 2>/dev/null || true
exec "$@"
