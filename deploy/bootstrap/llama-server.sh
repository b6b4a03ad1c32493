# shellcheck shell=sh
# Finds a llama.cpp server for the tests on a real runtime: the given one, one on
# PATH, or the distribution's package with its own loader, unpacked under .tools.

# Only newer releases have the package. The first of these suites that has it is
# used. testing comes first, because packages of sid cannot always be installed.
llama_debian_suites='testing sid'
llama_package=llama.cpp-tools

# If there is no server, SLUICE_LLAMA_SERVER_MISSING says why. In CI this is a
# failure, because tests that did not run would remain unnoticed there.
find_llama_server() {
  missing_servers=
  find_server llama
  SLUICE_LLAMA_SERVER=$found_server
  export SLUICE_LLAMA_SERVER
  [ -n "$missing_servers" ] || return 0
  SLUICE_LLAMA_SERVER_MISSING="no llama-server on PATH or in SLUICE_LLAMA_SERVER, and no package $llama_package to unpack"
  export SLUICE_LLAMA_SERVER_MISSING
  [ -z "${CI:-}" ] || fail "$SLUICE_LLAMA_SERVER_MISSING"
}

unpack_llama_server() {
  llama_is_among_lists || add_suite_with_llama || return 1
  unpack_packages_with_loader llama "$llama_package" && write_loader_launcher
}

llama_is_among_lists() {
  private_apt apt-cache policy "$llama_package" | grep -q '^ *Candidate: [0-9]'
}

add_suite_with_llama() {
  for llama_suite in $llama_debian_suites; do
    add_debian_suite "$llama_suite" && llama_is_among_lists && return 0
  done
  return 1
}

# Runs the program with the loader of its own release. The name pattern finds the
# loader on every architecture. ggml looks for its processor backends beside the
# running executable, which is the loader in this case. Therefore a copy of the
# loader is put beside the backends.
# shellcheck disable=SC2016 # the launcher expands the variables
write_loader_launcher() {
  llama_home=$servers/llama
  [ -x "$llama_home/usr/bin/llama-server" ] || return 1
  loader=$(find "$llama_home/usr/lib" -name 'ld-linux*.so.*' -type f | head -n 1)
  [ -n "$loader" ] || return 1
  backend=$(find "$llama_home/usr/lib" -name 'libggml-cpu*.so' | head -n 1)
  [ -n "$backend" ] || return 1
  loader_beside_backends=${backend%/*}/${loader##*/}
  [ -e "$loader_beside_backends" ] || cp -- "$loader" "$loader_beside_backends" || return 1
  printf 'exec "$home/%s" --library-path "%s" "$home/usr/bin/llama-server" "$@"\n' \
    "${loader_beside_backends#"$llama_home/"}" "$(list_library_folders llama)" | save_launcher llama
}
