#!/bin/sh
# Writes the passwords that compose.yaml needs into a file of its variables:
# deploy/.env, or the one that is named. What the file has already stays.
set -eu

file=${1:-$(dirname -- "$0")/.env}
umask 077
touch "$file"
# The last line of a file that was written by hand may have no end.
[ -z "$(tail -c 1 "$file")" ] || echo >>"$file"
for name in ADMIN_TOKEN REDIS_PASSWORD NATS_GATEWAY_PASSWORD NATS_WORKER_DEFAULT_PASSWORD \
  NATS_CATALOG_PASSWORD NATS_OPERATOR_PASSWORD; do
  if ! grep -q "^$name=." "$file"; then
    # A letter comes first: NATS would take a word that begins with a digit for a number.
    echo "$name=k$(od -A n -t x1 -N 24 /dev/urandom | tr -d ' \n')" >>"$file"
  fi
done
