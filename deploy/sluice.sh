#!/bin/sh
# Runs the sluice command. Only `sluice up` needs Redis and NATS, so other
# subcommands and the help text do not wait for the search for servers. A link to
# this file may be on the PATH: ln -s "$PWD/deploy/sluice.sh" ~/.local/bin/sluice
set -eu

deploy=$(dirname -- "$(readlink -f -- "$0")")
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
exec sh "$deploy/bootstrap.sh" $servers --quiet node "$deploy/../packages/cli/src/main.ts" "$@"
