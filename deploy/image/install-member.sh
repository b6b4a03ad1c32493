#!/bin/sh
# Runs while an image is built, in a folder with the manifests of the whole
# workspace: installs the production dependencies of one member, and removes the
# members that it does not depend on.
#
#   sh install-member.sh NAME
set -eu

# The member and its dependencies, without those that only its tests need.
needed="@sluice/$1..."

pnpm install --prod --frozen-lockfile --filter-prod "$needed" --reporter=append-only
pnpm list --recursive --depth=-1 --parseable --filter-prod "$needed" >needed-folders

for member in packages/* services/*; do
  grep --quiet --line-regexp --fixed-strings "$PWD/$member" needed-folders || rm -rf -- "$member"
done

# Only pnpm reads these files, and some of them differ between two equal builds.
rm -rf needed-folders pnpm-lock.yaml pnpm-workspace.yaml node_modules/.modules.yaml node_modules/.pnpm-workspace-state*.json
