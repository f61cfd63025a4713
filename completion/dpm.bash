# shellcheck shell=bash
# Bash completion for dpm. Commands and options are what the program itself says in --help, so they are always right.

# The first words of the indented lines under the heading "Subcommands:".
_dpm_commands() {
  dpm --help 2>/dev/null | awk '/^[A-Za-z]+:/ { inside = /^(Subcommands|Commands):/ } inside && /^ +[a-z]/ { print $1 }'
}

# The options of a command: what stands first on the indented lines that begin with a dash.
_dpm_options() {
  dpm "$@" --help 2>/dev/null | awk '/^ +-/ { n = split($1, names, ","); for (i = 1; i <= n; ++i) print names[i] }'
}

_dpm() {
  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" command="${COMP_WORDS[1]}" choices=""
  if (( COMP_CWORD == 1 )); then
    if [[ "$word" == -* ]]; then choices=$(_dpm_options); else choices=$(_dpm_commands); fi
  elif [[ "$previous" == --order ]]; then
    choices="recorded arrival role"
  elif [[ "$previous" == --method ]]; then
    choices="replay thesis1984"
  elif [[ "$word" == -* ]]; then
    choices=$(_dpm_options "$command")
  fi
  # Without choices the words are files and directories, which bash completes by itself.
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}

complete -o default -F _dpm dpm
