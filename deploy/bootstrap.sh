#!/bin/sh
# Prepares what Sluice needs, then becomes COMMAND. Nothing outside this folder
# is changed but the caches of npm and pnpm, and nothing is done twice.
#
#   sh deploy/bootstrap.sh [--servers|--own-servers] [--llama-server] [--quiet] COMMAND [ARGUMENT…]
#
# COMMAND gets a PATH on which node and pnpm are right, and the installed
# packages of the lockfile. With --servers it also gets Redis and NATS:
#   REDIS_URL, NATS_URL                        as they were given; otherwise
#   SLUICE_REDIS_SERVER, SLUICE_NATS_SERVER    an executable, or docker:IMAGE
# --own-servers gives it programs in any case and takes both addresses away: for
# tests and benchmarks, which must not write to servers that somebody uses.
# With --llama-server it gets SLUICE_LLAMA_SERVER, a llama.cpp server, or the
# reason in SLUICE_LLAMA_SERVER_MISSING.
# --quiet leaves out the lines that say which servers were taken.
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
# A second signal, as npm passes on what a terminal has sent already, must not
# end the cleaning up. Not within it: the command would inherit what is ignored.
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
# A core dump of what it starts would hold prompts and answers.
# shellcheck disable=SC3045 # where it is unknown nothing changes
ulimit -S -c 0 2>/dev/null || true
exec "$@"
