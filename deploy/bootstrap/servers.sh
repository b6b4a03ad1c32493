# shellcheck shell=sh
# Finds Redis and NATS. Tries in this order: an address, a program on PATH, the
# distribution's packages unpacked under .tools, a Docker image.

servers=$tools/servers
redis_minimum=6.2
nats_minimum=2.10
redis_image=redis:7-alpine
nats_image=nats:2.10-alpine

find_servers() {
  missing_servers=
  if [ -n "${REDIS_URL:-}" ]; then
    announce 'Redis: the one of REDIS_URL'
  else
    find_server redis
    SLUICE_REDIS_SERVER=$found_server
    export SLUICE_REDIS_SERVER
  fi
  if [ -n "${NATS_URL:-}" ]; then
    announce 'NATS: the one of NATS_URL'
  else
    find_server nats
    SLUICE_NATS_SERVER=$found_server
    export SLUICE_NATS_SERVER
  fi
  [ -z "$missing_servers" ] || explain_missing_servers
}

announce() {
  [ "$quiet" = yes ] || say "$@"
}

# find_server redis|nats|llama: sets found_server.
find_server() {
  found_server=
  find_given_server "$1" || find_server_on_path "$1" || find_unpacked_server "$1" ||
    find_remembered_image "$1" || fetch_server "$1" || {
    missing_servers="$missing_servers $1"
    return 0
  }
}

fetch_server() {
  acquire_lock
  # Another bootstrap may have fetched it while this one waited.
  fetched=yes
  find_unpacked_server "$1" || find_remembered_image "$1" || {
    { unpack_debian_server "$1" && find_unpacked_server "$1"; } || fetch_image "$1" || fetched=no
  }
  release_lock
  [ "$fetched" = yes ]
}

# The user, or a bootstrap that started this one, has already chosen a server.
find_given_server() {
  case $1 in
    redis) set -- redis SLUICE_REDIS_SERVER "${SLUICE_REDIS_SERVER:-}" "is older than $redis_minimum" ;;
    nats) set -- nats SLUICE_NATS_SERVER "${SLUICE_NATS_SERVER:-}" "is older than $nats_minimum" ;;
    llama) set -- llama SLUICE_LLAMA_SERVER "${SLUICE_LLAMA_SERVER:-}" 'is no llama.cpp server' ;;
  esac
  case $3 in
    '') return 1 ;;
    docker:*) take_image "$1" "${3#docker:}" ;;
    *)
      server_is_right "$1" "$3" ||
        fail "$2 is $3, which does not run or $4 (version ${server_version:-unknown})"
      take_server "$1" "$3" 'as the environment says'
      ;;
  esac
}

find_server_on_path() {
  case $1 in
    redis) set -- redis redis-server valkey-server ;;
    nats) set -- nats nats-server ;;
    llama) set -- llama llama-server ;;
  esac
  kind=$1
  shift
  for program in "$@"; do
    path=$(command -v "$program") || continue
    case $path in
      /*) ;;
      *) path=$PWD/$path ;;
    esac
    if server_is_right "$kind" "$path"; then
      take_server "$kind" "$path" 'on PATH'
      return 0
    fi
    announce "$path is too old or does not run (version ${server_version:-unknown})"
  done
  return 1
}

find_unpacked_server() {
  [ -x "$servers/bin/$1-server" ] && server_is_right "$1" "$servers/bin/$1-server" &&
    take_server "$1" "$servers/bin/$1-server" "the distribution's package, unpacked"
}

find_remembered_image() {
  image=$(cat -- "$servers/$1.image" 2>/dev/null) &&
    has_image "$image" && take_image "$1" "$image"
}

fetch_image() {
  case $1 in
    redis) image=$redis_image ;;
    nats) image=$nats_image ;;
    *) return 1 ;;
  esac
  docker_answers || return 1
  has_image "$image" ||
    run_step "pulling the Docker image $image" docker pull --quiet "$image" || return 1
  mkdir -p -- "$servers"
  echo "$image" >"$servers/$1.image"
  take_image "$1" "$image"
}

docker_answers() {
  command -v docker >/dev/null &&
    run_step 'asking the Docker engine' ask_docker version --format '{{.Server.Version}}'
}

has_image() {
  ask_docker image inspect "$1" >/dev/null 2>&1
}

# A Docker engine may be installed and never answer.
ask_docker() {
  if command -v timeout >/dev/null; then
    timeout 10 docker "$@"
  else
    docker "$@"
  fi
}

# server_is_right redis|nats|llama PROGRAM: sets server_version.
server_is_right() {
  # llama-server prints its version to standard error.
  server_version=$("$2" --version 2>&1) || server_version=
  case $1 in
    redis)
      server_version=$(printf '%s\n' "$server_version" | sed -n 's/^[A-Za-z]* server v=\([0-9.]*\).*/\1/p')
      version_at_least "$redis_minimum" "$server_version"
      ;;
    nats)
      server_version=$(printf '%s\n' "$server_version" | sed -n 's/^nats-server: v\([0-9.]*\).*/\1/p')
      version_at_least "$nats_minimum" "$server_version"
      ;;
    llama)
      server_version=$(printf '%s\n' "$server_version" | sed -n 's/^version: \([^ ]*\).*/\1/p')
      [ -n "$server_version" ]
      ;;
  esac
}

take_server() {
  found_server=$2
  announce "$(server_title "$1") ${server_version:-}: $2 ($3)"
}

take_image() {
  found_server=docker:$2
  announce "$(server_title "$1"): the Docker image $2"
}

server_title() {
  case $1 in
    redis) echo Redis ;;
    nats) echo NATS ;;
    llama) echo llama.cpp ;;
  esac
}

explain_missing_servers() {
  for kind in $missing_servers; do
    case $kind in
      redis) say "found no Redis $redis_minimum or newer (or Valkey), and could fetch none" ;;
      nats) say "found no NATS server $nats_minimum or newer, and could fetch none" ;;
    esac
  done
  cat >&2 <<END
Install what is missing, then try again:
  Debian 13, Ubuntu 24.04 or newer   apt-get install redis-server nats-server
  Fedora                             dnf install valkey nats-server
  Alpine                             apk add valkey nats-server
  macOS                              brew install redis nats-server
or start a Docker engine, or set REDIS_URL and NATS_URL to servers that run already.
END
  exit 2
}
