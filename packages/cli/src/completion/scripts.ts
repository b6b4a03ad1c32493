export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Each script asks `sluice __complete` for the words, so that it stays valid when commands change. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  // COMP_WORDS has the words of the line, and COMP_CWORD is the index of the one that is being written:
  // https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html
  bash: `_sluice() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _sluice sluice`,
  // https://zsh.sourceforge.io/Doc/Release/Completion-System.html
  zsh: `#compdef sluice
_sluice() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then
    candidates=("\${(@)candidates//:/\\\\:}")
    candidates=("\${(@)candidates//$'\\t'/:}")
    _describe sluice candidates
  else
    _files
  fi
}
# The function runs this file when it is completed for the first time.
if [[ "\${funcstack[1]}" = _sluice ]]; then _sluice; else compdef _sluice sluice; fi`,
  // https://fishshell.com/docs/current/completions.html
  fish: `function __sluice_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete -- $words[2..] 2>/dev/null
end
complete -c sluice -f -a '(__sluice_complete)'
complete -c sluice -l file -s f -r -F`,
};
