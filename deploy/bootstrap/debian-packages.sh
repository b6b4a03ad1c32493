# shellcheck shell=sh
# Unpacks servers from packages of Debian and Ubuntu without installing them.
# apt checks the signatures of the distribution as usual. It works in a separate
# folder, so that the system's package lists, caches and hooks do not change.

# NATS of Debian 12 is too old. NATS of this suite runs on Debian 12 too.
newer_debian_suite=trixie
apt_workspace=

# unpack_debian_server redis|nats|llama: writes an executable .tools/servers/bin/*-server.
unpack_debian_server() {
  open_apt_workspace || return 1
  case $1 in
    redis) unpack_packages redis redis-server && write_launcher redis ;;
    nats)
      if suite_has_right_nats; then
        unpack_packages nats nats-server
      else
        add_debian_suite "$newer_debian_suite" && unpack_packages nats "nats-server/$newer_debian_suite"
      fi && write_launcher nats
      ;;
    llama) unpack_llama_server ;;
  esac
}

# Writes apt's settings and sources and fetches the package lists, once per run.
open_apt_workspace() {
  if [ -n "$apt_workspace" ]; then
    [ -e "$apt_workspace/ready" ]
    return
  fi
  command -v apt-get >/dev/null && command -v apt-config >/dev/null &&
    command -v dpkg-deb >/dev/null && [ -r /etc/os-release ] || return 1
  read_release || return 1
  # Not under .tools: apt's sources cannot name a keyring in a path with spaces.
  apt_workspace=$(mktemp -d /tmp/sluice-apt.XXXXXX) || return 1
  mkdir -p "$apt_workspace/empty" "$apt_workspace/lists/partial" \
    "$apt_workspace/cache/archives/partial" "$apt_workspace/packages"
  # The settings may contain passwords of mirrors and proxies, so only this user may read them.
  chmod 700 "$apt_workspace"
  write_apt_settings
  write_apt_sources || return 1
  run_apt_step "reading the package lists of $release_name" update || return 1
  : >"$apt_workspace/ready"
}

remove_apt_workspace() {
  if [ -n "$apt_workspace" ]; then
    rm -rf -- "$apt_workspace"
  fi
  apt_workspace=
}

private_apt() {
  env APT_CONFIG="$apt_workspace/apt.conf" LC_ALL=C "$@"
}

# run_apt_step WHAT COMMAND [ARGUMENT…]: runs an apt-get command in the folder for downloads.
run_apt_step() {
  apt_step=$1
  shift
  run_step "$apt_step" exec_in_folder "$apt_workspace/packages" \
    env APT_CONFIG="$apt_workspace/apt.conf" LC_ALL=C apt-get "$@"
}

# Sets release_name, release_codename, release_components and release_keyring.
read_release() {
  release_name=$(. /etc/os-release && echo "${PRETTY_NAME:-$ID}")
  release_codename=$(. /etc/os-release && echo "${UBUNTU_CODENAME:-${DEBIAN_CODENAME:-${VERSION_CODENAME:-}}}")
  case $(. /etc/os-release && echo " ${ID:-} ${ID_LIKE:-} ") in
    *' ubuntu '*)
      release_family=ubuntu
      release_components='main universe'
      ;;
    *' debian '*)
      release_family=debian
      release_components=main
      ;;
    *) return 1 ;;
  esac
  release_keyring=/usr/share/keyrings/$release_family-archive-keyring.gpg
  [ -n "$release_codename" ] && [ -r "$release_keyring" ]
}

# Takes over only the system's settings for downloads, such as proxies, and no
# hooks. Downloads run as the current user, because apt's own user could not read
# the folder.
write_apt_settings() {
  {
    apt-config dump | grep '^Acquire::' | grep -v '^Acquire::IndexTargets'
    cat <<END
Acquire::Languages "none";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::Retries "2";
Dir::Etc::main "$apt_workspace/none";
Dir::Etc::parts "$apt_workspace/empty";
Dir::Etc::sourcelist "$apt_workspace/sources.list";
Dir::Etc::sourceparts "$apt_workspace/empty";
Dir::Etc::preferences "$apt_workspace/none";
Dir::Etc::preferencesparts "$apt_workspace/empty";
Dir::Etc::trusted "$apt_workspace/none";
Dir::Etc::trustedparts "$apt_workspace/empty";
Dir::State "$apt_workspace";
Dir::State::lists "$apt_workspace/lists";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "$apt_workspace/cache";
END
  } >"$apt_workspace/apt.conf"
  : >"$apt_workspace/none"
}

# Uses the mirrors of the system's own sources, in each format that apt reads.
# Sources of third parties are left out.
write_apt_sources() {
  apt-get update --print-uris -o Dir::State::lists="$apt_workspace/lists" -o Dir::Cache="$apt_workspace/cache" 2>/dev/null |
    select_release_sources "$release_codename" >"$apt_workspace/mirrors"
  while read -r mirror suite; do
    printf 'deb [signed-by=%s] %s %s %s\n' "$release_keyring" "$mirror" "$suite" "$release_components"
  done <"$apt_workspace/mirrors" >"$apt_workspace/sources.list"
  [ -s "$apt_workspace/sources.list" ]
}

# select_release_sources CODENAME: turns apt's addresses of release files into
# lines "MIRROR SUITE", for the release and its updates.
select_release_sources() {
  sed -n "s|^'\(.*\)/dists/\($1\)/InRelease'.*|\1 \2|p; s|^'\(.*\)/dists/\($1-[a-z]*\)/InRelease'.*|\1 \2|p" |
    grep -v -e '-backports$' -e '-proposed$' | sort -u
}

suite_has_right_nats() {
  version_at_least "$nats_minimum" "$(private_apt apt-cache policy nats-server | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')"
}

# add_debian_suite SUITE: a newer suite may be signed with keys that an older
# system does not have. An update of the system's keyring package brings these
# keys, and is itself signed with a key that the system trusts.
add_debian_suite() {
  [ "$release_family" = debian ] || return 1
  mirror=$(awk -v suite="$release_codename" '$2 == suite { print $1; exit }' "$apt_workspace/mirrors")
  [ -n "$mirror" ] || return 1
  newer_keyring=$release_keyring
  if download_packages keyring debian-archive-keyring; then
    newer_keyring=$apt_workspace/keyring/usr/share/keyrings/debian-archive-keyring.gpg
  fi
  printf 'deb [signed-by=%s] %s %s main\n' "$newer_keyring" "$mirror" "$1" \
    >>"$apt_workspace/sources.list"
  run_apt_step "reading the package lists of Debian's $1" update
}

# unpack_packages NAME PACKAGE: unpacks PACKAGE, and those of its dependencies
# that the system lacks, into .tools/servers/NAME.
unpack_packages() {
  wanted_packages=$(private_apt apt-get --simulate install "$2" 2>/dev/null | select_new_packages) || return 1
  unpack_wanted_packages "$1" "$2"
}

# unpack_packages_with_loader NAME PACKAGE: unpacks PACKAGE and all of its
# dependencies, as if the system had no packages. PACKAGE may be from a newer
# release than the system. It then needs the C library and the loader of its own
# release.
unpack_packages_with_loader() {
  wanted_packages=$(private_apt apt-get --simulate -o Dir::State::status="$apt_workspace/none" install "$2" 2>/dev/null |
    select_planned_packages) || return 1
  unpack_wanted_packages "$1" "$2"
}

unpack_wanted_packages() {
  if [ -z "$wanted_packages" ]; then
    say "$2 is not among the packages of $release_name that can be reached"
    return 1
  fi
  # shellcheck disable=SC2086 # a list of words
  download_packages "$1" $wanted_packages || return 1
  mkdir -p -- "$servers"
  rm -rf -- "${servers:?}/$1"
  mv -- "$apt_workspace/$1" "$servers/$1"
}

# Leaves out the C library, which works only with the loader of its own version.
select_new_packages() {
  select_planned_packages | grep -v '^libc6=' || :
}

# Turns the output of apt's simulation into words "PACKAGE=VERSION".
select_planned_packages() {
  sed -n 's/^Inst \([^ ]*\) \(\[[^]]*\] \)\{0,1\}(\([^ ]*\) .*/\1=\3/p'
}

# download_packages NAME PACKAGE…: downloads and unpacks packages into the folder NAME of the workspace.
download_packages() {
  unpack_into=$apt_workspace/$1
  shift
  rm -rf "$apt_workspace/packages" "$unpack_into"
  mkdir -p "$apt_workspace/packages" "$unpack_into"
  run_apt_step "fetching $(name_packages "$@")" download "$@" || return 1
  for package in "$apt_workspace"/packages/*.deb; do
    dpkg-deb --extract "$package" "$unpack_into" || return 1
  done
}

name_packages() {
  if [ $# -le 4 ]; then
    echo "$*"
  else
    echo "$# packages"
  fi
}

# The launcher replaces itself with the server (exec), so that signals reach the
# server and its exit code is visible.
# shellcheck disable=SC2016 # the launcher expands the variables
write_launcher() {
  program=$(find "$servers/$1/usr/bin" "$servers/$1/usr/sbin" -name "$1-server" 2>/dev/null | head -n 1)
  [ -n "$program" ] || return 1
  libraries=$(list_library_folders "$1")
  {
    # An empty entry would mean the current folder.
    [ -z "$libraries" ] ||
      printf 'LD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\nexport LD_LIBRARY_PATH\n' "$libraries"
    printf 'exec "$home/%s" "$@"\n' "${program#"$servers/$1/"}"
  } | save_launcher "$1"
}

# The folders, separated by colons, as LD_LIBRARY_PATH needs them.
# shellcheck disable=SC2016
list_library_folders() {
  (cd -- "$servers/$1" && find . -name 'lib*.so*' -exec dirname {} \; | sort -u |
    sed 's|^\.|$home|' | paste -s -d : -)
}

# save_launcher NAME: reads the lines of the launcher from standard input. They may use $home, the unpacked folder.
# shellcheck disable=SC2016
save_launcher() {
  mkdir -p -- "$servers/bin"
  {
    printf '#!/bin/sh\nhome=${0%%/*}/../%s\n' "$1"
    cat
  } >"$servers/bin/$1-server.new"
  chmod 755 "$servers/bin/$1-server.new"
  mv -- "$servers/bin/$1-server.new" "$servers/bin/$1-server"
}
