#!/bin/sh
# Adds the passwords that compose.yaml needs and that are still missing to
# deploy/.env, or to the file in the first argument. Existing lines stay.
set -eu

file=${1:-$(dirname -- "$0")/.env}
umask 077
touch "$file"
# A file that was edited by hand may lack the newline at its end.
[ -z "$(tail -c 1 "$file")" ] || echo >>"$file"
for name in ADMIN_TOKEN REDIS_PASSWORD NATS_GATEWAY_PASSWORD NATS_WORKER_DEFAULT_PASSWORD \
  NATS_CATALOG_PASSWORD NATS_USAGE_PASSWORD NATS_OPERATOR_PASSWORD BUDGET_TOKEN WEBHOOK_KEY; do
  if ! grep -q "^$name=." "$file"; then
    # Passwords begin with a letter, because NATS reads a word that begins with a digit as a number.
    echo "$name=k$(od -A n -t x1 -N 24 /dev/urandom | tr -d ' \n')" >>"$file"
  fi
done
