#!/bin/sh
# Runs while an image is built: writes Node's compile cache for the main module
# of a workspace member to .compile-cache. The build fails if the program cannot
# be loaded.
#
#   sh compile.sh MEMBER
set -eu

# Node keeps a separate cache for each user id, so the user of the image must write it.
user=1000
export NODE_COMPILE_CACHE="$PWD/.compile-cache"
install -d -o "$user" -g "$user" -- "$NODE_COMPILE_CACHE"

# Loads the whole program without starting it: the sluice command shows its help,
# and a service rejects HEALTH_PORT=none with exit code 2.
ending=0
HEALTH_PORT=none setpriv --reuid="$user" --regid="$user" --clear-groups \
  node "$1/src/main.ts" --help >/dev/null 2>loading.log || ending=$?
if [ "$ending" -ne 0 ] && [ "$ending" -ne 2 ]; then
  cat loading.log >&2
  exit 1
fi

# The program may read the cache, but not write to it.
chown -R 0:0 -- "$NODE_COMPILE_CACHE"
chmod -R a+rX,go-w -- "$NODE_COMPILE_CACHE"
