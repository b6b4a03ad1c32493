#!/bin/sh
# Writes every generated file anew. With options only the types of the gRPC
# contracts are meant.
set -eu

cd -- "$(dirname -- "$0")/.."
node packages/rpc/src/generate.ts "$@"
if [ $# -eq 0 ]; then
  schema=deploy/examples/sluice.schema.json
  dashboard=deploy/dashboards/sluice.json
  node services/catalog/src/generate-resource-file-schema.ts
  node packages/monitoring/src/generate.ts
  node packages/chart/src/generate.ts
  node_modules/.bin/oxfmt "$schema" "$dashboard" deploy/helm/nats-accounts.json >/dev/null
  echo "schema written to $schema"
  echo "dashboard written to $dashboard"
  echo 'users of NATS written to deploy/nats/accounts.conf and deploy/helm/nats-accounts.json'
fi
