# shellcheck shell=bash
# Bash completion for dpm. Commands and options are what the program itself says in --help, so they are always right.

# The commands: what stands in columns 3 to 16 of the lines under the heading "Subcommands:". Some have two words.
_dpm_commands() {
  dpm --help 2>/dev/null | awk '
    /^[A-Za-z]+:/ { inside = /^(Subcommands|Commands):/ }
    inside && /^  [a-z]/ { name = substr($0, 3, 14); sub(/ +$/, "", name); print name }'
}

# The options of a command: what stands first on the indented lines that begin with a dash.
_dpm_options() {
  dpm "$@" --help 2>/dev/null | awk '/^  -/ { n = split($1, names, ","); for (i = 1; i <= n; ++i) print names[i] }'
}

# The formats of a command, as it names them when it is asked for one that does not exist.
_dpm_formats() {
  dpm "$@" 2>&1 | sed -n 's/.*; there are:\{0,1\} //p' | tr -d ,
}

# A list of flags so far, "send,-acc", and what its last word can become; the events of model/meter_flags.hpp.
_dpm_flags() {
  local list="$1" done="" sign="" name
  [[ "$list" != *,* ]] || done="${list%,*},"
  [[ "${list##*,}" != -* ]] || sign="-"
  for name in all immediate send receivecall receive accept connect socket dup destroypath createprocess startprocess \
    destroyprocess exec gap; do
    echo "$done$sign$name"
  done
}

# Where the command of `dpm meter -- COMMAND` stands among the words: after "--", or the first that is no option.
_dpm_command_at() {
  local at
  for (( at = 2; at < COMP_CWORD; ++at )); do
    case "${COMP_WORDS[at]}" in
      --) echo $((at + 1)); return ;;
      -o | --output | --flags | --templates | --window) (( ++at )) ;;
      -*) ;;
      *) echo "$at"; return ;;
    esac
  done
  echo "$at"
}

_dpm() {
  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" command="${COMP_WORDS[1]}" choices=""
  if (( COMP_CWORD == 1 )); then
    if [[ "$word" == -* ]]; then choices=$(_dpm_options); else choices=$(_dpm_commands | cut -d ' ' -f 1 | sort -u); fi
  elif (( COMP_CWORD == 2 )) && [[ "$word" != -* && -n "$(_dpm_commands | grep "^$command ")" ]]; then
    choices=$(_dpm_commands | sed -n "s/^$command //p")
  elif [[ "$previous" == --flags || "$command" == setflags && $COMP_CWORD -eq 3 ]]; then
    choices=$(_dpm_flags "$word")
  elif [[ ("$command" == setflags || "$command" == acquire || "$command" == stop) && $COMP_CWORD -eq 2 && "$word" != -* ]]; then
    choices=$(cd /proc && echo [0-9]*)
  elif [[ "$command" == meter ]] && (( COMP_CWORD >= $(_dpm_command_at) )) && [[ "$word" != -* ]]; then
    (( COMP_CWORD > $(_dpm_command_at) )) || choices=$(compgen -c -- "$word" | sort -u)
  elif [[ "$previous" == --order ]]; then
    choices="auto recorded arrival role"
  elif [[ "$command" == export && "$previous" == --to ]]; then
    choices=$(_dpm_formats export . --to '?')
  elif [[ "$command" == import && "$previous" == --from ]]; then
    choices=$(_dpm_formats import . --from '?' --output .)
  elif [[ "$previous" == --launcher ]]; then
    choices="ssh srun local"
  elif [[ "$previous" == --window ]]; then
    choices="10s 60s 5m 1h"
  elif [[ "$previous" == --method ]]; then
    choices="replay thesis1984"
    [[ "$command" != parallelism ]] || choices+=" none"
  elif [[ "$word" == -* ]] && _dpm_commands | grep -qx "$command ${COMP_WORDS[2]}"; then
    choices=$(_dpm_options "$command" "${COMP_WORDS[2]}")
  elif [[ "$word" == -* ]]; then
    choices=$(_dpm_options "$command")
  fi
  # Without choices the words are files and directories, which bash completes by itself.
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}

complete -o default -F _dpm dpm
