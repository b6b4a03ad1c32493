#!/bin/sh
# Runs `docker compose` with compose.yaml, after passwords.sh has added missing
# passwords. Passwords and other variables are in deploy/.env, or in the file
# that SLUICE_ENV_FILE names.
set -eu

folder=$(dirname -- "$0")
file=${SLUICE_ENV_FILE:-$folder/.env}
sh "$folder/passwords.sh" "$file"
exec docker compose --env-file "$file" --file "$folder/compose.yaml" "$@"
