# shellcheck shell=sh
# Servers from the packages of Debian and Ubuntu, unpacked and not installed.
# apt checks the distribution's signatures as always, but works in a folder of
# its own, so that the system's lists, caches and hooks stay as they are.

# Debian 12 has a NATS older than we need; the one of this suite runs there too.
newer_debian_suite=trixie
apt_workspace=

# unpack_debian_server redis|nats|llama: leaves a runnable .tools/servers/bin/*-server.
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

# Once a run: the settings, the sources and the lists of the system's release.
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
  # Its mirrors and proxies may need passwords, which stay with this user.
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

# run_apt_step WHAT COMMAND [ARGUMENT…]: of apt-get; downloads land in packages.
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

# Of the system's settings only how to fetch (proxies, mirrors' quirks), none of
# its hooks. The download runs as this user: another could not read the folder.
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

# The mirrors are those of the system's own sources, in whichever format those
# are written; sources of other makers are left out.
write_apt_sources() {
  apt-get update --print-uris -o Dir::State::lists="$apt_workspace/lists" -o Dir::Cache="$apt_workspace/cache" 2>/dev/null |
    select_release_sources "$release_codename" >"$apt_workspace/mirrors"
  while read -r mirror suite; do
    printf 'deb [signed-by=%s] %s %s %s\n' "$release_keyring" "$mirror" "$suite" "$release_components"
  done <"$apt_workspace/mirrors" >"$apt_workspace/sources.list"
  [ -s "$apt_workspace/sources.list" ]
}

# select_release_sources CODENAME: from apt's addresses of release files to
# lines "MIRROR SUITE", for the release and its updates.
select_release_sources() {
  sed -n "s|^'\(.*\)/dists/\($1\)/InRelease'.*|\1 \2|p; s|^'\(.*\)/dists/\($1-[a-z]*\)/InRelease'.*|\1 \2|p" |
    grep -v -e '-backports$' -e '-proposed$' | sort -u
}

suite_has_right_nats() {
  version_at_least "$nats_minimum" "$(private_apt apt-cache policy nats-server | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')"
}

# add_debian_suite SUITE: a newer suite is signed by keys that an older system
# may not have. They come with an update of its keyring package, which its own
# keys vouch for.
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

# unpack_packages NAME PACKAGE: unpacks PACKAGE, and what it depends on that the
# system lacks, into .tools/servers/NAME.
unpack_packages() {
  wanted_packages=$(private_apt apt-get --simulate install "$2" 2>/dev/null | select_new_packages) || return 1
  unpack_wanted_packages "$1" "$2"
}

# unpack_packages_with_loader NAME PACKAGE: the same with all that PACKAGE
# depends on, as on a system that has nothing: it may be of a newer release than
# the system, and then runs by the C library and the loader that come with it.
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

# The C library is not taken along: it works only with the loader of its own version.
select_new_packages() {
  select_planned_packages | grep -v '^libc6=' || :
}

# From apt's plan to words "PACKAGE=VERSION".
select_planned_packages() {
  sed -n 's/^Inst \([^ ]*\) \(\[[^]]*\] \)\{0,1\}(\([^ ]*\) .*/\1=\3/p'
}

# download_packages NAME PACKAGE…: into the workspace's folder NAME.
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

# The launcher becomes the server, so that the process that was started is the
# server itself, and its signals and its end are the server's.
# shellcheck disable=SC2016 # it is the launcher that expands them
write_launcher() {
  program=$(find "$servers/$1/usr/bin" "$servers/$1/usr/sbin" -name "$1-server" 2>/dev/null | head -n 1)
  [ -n "$program" ] || return 1
  libraries=$(list_library_folders "$1")
  {
    # An empty entry would stand for the folder that the server is started in.
    [ -z "$libraries" ] ||
      printf 'LD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\nexport LD_LIBRARY_PATH\n' "$libraries"
    printf 'exec "$home/%s" "$@"\n' "${program#"$servers/$1/"}"
  } | save_launcher "$1"
}

# Separated by colons, as the launcher is to write them.
# shellcheck disable=SC2016
list_library_folders() {
  (cd -- "$servers/$1" && find . -name 'lib*.so*' -exec dirname {} \; | sort -u |
    sed 's|^\.|$home|' | paste -s -d : -)
}

# save_launcher NAME: lines that may use $home, the folder of what was unpacked.
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
