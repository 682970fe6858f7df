import { defineCommand } from './command-line/command.ts'
import { COMPLETE } from './command-line/complete.ts'
import { writeOut } from './command-line/output.ts'
import { UsageError } from './command-line/usage-error.ts'

/**
 * The scripts ask the program that is being typed for the words, so they fit every version. Without any words
 * the shell completes file names.
 */
const SCRIPTS: Record<string, string> = {
  bash: `# Completion of svc for bash, by svc completion bash.
_svc() {
  local IFS=$'\\n' program=\${COMP_WORDS[0]/#\\~/$HOME}
  COMPREPLY=($("$program" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _svc svc svc-driver
`,
  zsh: `#compdef svc svc-driver
# Completion of svc for zsh, by svc completion zsh.
_svc() {
  local -a found described
  found=("\${(@f)$("\${words[1]/#\\~/$HOME}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z "$found" ]]; then
    _files
    return
  fi
  described=("\${(@)found//:/\\\\:}")
  described=("\${(@)described/$'\\t'/:}")
  _describe -V svc described
}
if [[ "$funcstack[1]" == _svc ]]; then _svc "$@"; else compdef _svc svc svc-driver; fi
`,
  fish: `# Completion of svc for fish, by svc completion fish.
function __svc_complete
  set -l typed (commandline -opc) (commandline -ct)
  set -l found ($typed[1] ${COMPLETE} $typed[2..] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c svc -f -a '(__svc_complete)'
complete -c svc-driver -f -a '(__svc_complete)'
`,
}

const shells = Object.keys(SCRIPTS)

export const completionCommand = defineCommand({
  summary: 'Print a script that completes commands and flags in a shell',
  positionals: [{ name: 'SHELL', help: `One of ${shells.join(', ')}` }],
  run({ positionals: [shell = ''] }) {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
    if (script === undefined) throw new UsageError(`unknown shell ${shell}; use one of ${shells.join(', ')}`)
    writeOut(script)
  },
})
