#!/bin/sh
# The sluice command with what it needs. Only a stack that is to be started
# needs Redis and NATS; nobody waits for them to be found to read a help text.
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
