#!/bin/sh
# Run while an image is built, in a folder that holds the manifests of the whole
# workspace: installs what one member needs in production, and leaves nothing of
# the members that it does not depend on.
#
#   sh install-member.sh NAME
set -eu

# A member and those it depends on, but not those that only its tests need.
needed="@sluice/$1..."

pnpm install --prod --frozen-lockfile --filter-prod "$needed" --reporter=append-only
pnpm list --recursive --depth=-1 --parseable --filter-prod "$needed" >needed-folders

for member in packages/* services/*; do
  grep --quiet --line-regexp --fixed-strings "$PWD/$member" needed-folders || rm -rf -- "$member"
done

# What only pnpm reads, and what would differ from one build to the next.
rm -rf needed-folders pnpm-lock.yaml pnpm-workspace.yaml node_modules/.modules.yaml node_modules/.pnpm-workspace-state*.json
