#!/bin/sh
# Run while an image is built, in the folder that install-member.sh has prepared:
# copies the sources of the members that are there.
#
#   sh copy-sources.sh REPOSITORY TARGET
set -eu

for member in packages/* services/*; do
  # Without any member in it, a folder's pattern stands for itself.
  [ -d "$member" ] || continue
  mkdir -p -- "$2/$member"
  cp -R -- "$1/$member/src" "$2/$member/src"
done

# The contracts, which gRPC clients and servers read when they start.
if [ -d packages/rpc ]; then
  cp -R -- "$1/proto" "$2/proto"
fi
