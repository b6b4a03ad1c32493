#!/bin/sh
# Writes all generated files. With options, writes only the gRPC types, and
# passes the options on to their generator.
set -eu

cd -- "$(dirname -- "$0")/.."
node packages/rpc/src/generate.ts "$@"
if [ $# -eq 0 ]; then
  schema=deploy/examples/sluice.schema.json
  dashboard=deploy/dashboards/sluice.json
  node services/catalog/src/model/generate-resource-file-schema.ts
  node deploy/dashboards/src/generate.ts
  node deploy/nats/generate.ts
  node_modules/.bin/oxfmt "$schema" "$dashboard" deploy/helm/nats-accounts.json >/dev/null
  echo "schema written to $schema"
  echo "dashboard written to $dashboard"
  echo 'users of NATS written to deploy/nats/accounts.conf and deploy/helm/nats-accounts.json'
fi
