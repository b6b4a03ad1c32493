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
  NATS_CATALOG_PASSWORD NATS_USAGE_PASSWORD NATS_CONSOLE_PASSWORD NATS_OPERATOR_PASSWORD \
  BUDGET_TOKEN WEBHOOK_KEY; do
  if ! grep -q "^$name=." "$file"; then
    # Passwords begin with a letter, because NATS reads a word that begins with a digit as a number.
    echo "$name=k$(od -A n -t x1 -N 24 /dev/urandom | tr -d ' \n')" >>"$file"
  fi
done

# The keys of the console: one for its cookies, and a pair of Ed25519 keys for its
# calls to the catalog. Each is 32 bytes in base64url.
base64url() {
  base64 | tr -d '\n=' | tr '+/' '-_'
}

if ! grep -q '^CONSOLE_COOKIE_KEY=.' "$file"; then
  echo "CONSOLE_COOKIE_KEY=$(head -c 32 /dev/urandom | base64url)" >>"$file"
fi
if ! grep -q '^CONSOLE_ASSERTION_KEY=.' "$file"; then
  pair='const { d, x } = crypto.generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
    console.log("CONSOLE_ASSERTION_KEY=console:" + d + "\nCONSOLE_PUBLIC_KEY=console:" + x)'
  if command -v node >/dev/null; then
    node --eval "$pair" >>"$file"
  else
    # Where there is no Node, there is the engine that runs the images.
    docker run --rm "${NODE_IMAGE:-node:24-bookworm-slim}" node --eval "$pair" >>"$file"
  fi
fi
