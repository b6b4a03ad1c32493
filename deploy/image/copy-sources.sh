#!/bin/sh
# Runs while an image is built, in the folder that install-member.sh has prepared:
# copies the sources of the workspace members in this folder.
#
#   sh copy-sources.sh REPOSITORY TARGET
set -eu

for member in packages/* services/*; do
  # If a folder has no members, the shell leaves its pattern as it is.
  [ -d "$member" ] || continue
  mkdir -p -- "$2/$member"
  cp -R -- "$1/$member/src" "$2/$member/src"
done

# gRPC clients and servers read the .proto files when they start.
if [ -d packages/rpc ]; then
  cp -R -- "$1/proto" "$2/proto"
fi
