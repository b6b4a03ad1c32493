#!/bin/sh
# Writes every generated file anew. With options only the types of the gRPC
# contracts are meant.
set -eu

cd -- "$(dirname -- "$0")/.."
node packages/rpc/src/generate.ts "$@"
if [ $# -eq 0 ]; then
  schema=deploy/examples/sluice.schema.json
  node services/catalog/src/generate-resource-file-schema.ts
  node_modules/.bin/oxfmt "$schema" >/dev/null
  echo "schema written to $schema"
fi
