#!/bin/sh
# Builds the pages of the console, then takes pictures of them; see
# services/console/tests/support/take-screenshots-program.ts for the options.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
(cd "$here" && node node_modules/vite/bin/vite.js build --logLevel warn)
exec node "$here/../tests/support/take-screenshots-program.ts" "$@"
