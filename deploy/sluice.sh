#!/bin/sh
# Runs the sluice command. Only `sluice up` needs Redis and NATS, so other
# subcommands and the help text do not wait for the search for servers.
set -eu

bootstrap=$(dirname -- "$0")/bootstrap.sh
servers=
if [ "${1:-}" = up ]; then
  servers=--servers
  for argument in "$@"; do
    case $argument in
      --help | -h) servers= ;;
    esac
  done
fi
# shellcheck disable=SC2086 # one word or none
exec sh "$bootstrap" $servers --quiet node "$(dirname -- "$0")/../packages/cli/src/main.ts" "$@"
