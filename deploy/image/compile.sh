#!/bin/sh
# Run while an image is built: makes Node's cache of compiled code for the main
# module of a member, in .compile-cache. A program that cannot be loaded fails
# the build.
#
#   sh compile.sh MEMBER
set -eu

# Node looks for the cache of its own user, by number.
user=1000
export NODE_COMPILE_CACHE="$PWD/.compile-cache"
install -d -o "$user" -g "$user" -- "$NODE_COMPILE_CACHE"

# Loads the whole program and ends it before it does anything: the command shows
# its help, the others refuse what they are given with exit code 2.
ending=0
HEALTH_PORT=none setpriv --reuid="$user" --regid="$user" --clear-groups \
  node "$1/src/main.ts" --help >/dev/null 2>loading.log || ending=$?
if [ "$ending" -ne 0 ] && [ "$ending" -ne 2 ]; then
  cat loading.log >&2
  exit 1
fi

# Read by the process, written by nobody.
chown -R 0:0 -- "$NODE_COMPILE_CACHE"
chmod -R a+rX,go-w -- "$NODE_COMPILE_CACHE"
