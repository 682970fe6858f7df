import { flagOf, type Setting, type SettingsTable, variableOf } from '../../src/base/index.ts'
import { DRIVER_SETTINGS } from '../../src/driver/index.ts'
import { RELOADABLE, SETTINGS } from '../../src/server/index.ts'
import { row } from './table.ts'

/** One table per group of settings. */
function settingsTables(table: SettingsTable): string {
  const groups = Map.groupBy(Object.entries(table), ([, { group }]) => group)
  const titles = ['Flag', 'Variable', 'Default', 'Meaning']
  const heading = `${row(...titles)}\n${row(...titles.map(() => '---')).replaceAll(' ', '')}`
  return [...groups]
    .map(([title, settings]) => {
      const rows = settings.map(([name, declared]) => settingRow(name, declared))
      return `### ${title}\n\n${heading}\n${rows.join('\n')}\n`
    })
    .join('\n')
}

/** The row of a setting, or of an option of a command. */
export function settingRow(name: string, declared: Setting<unknown>): string {
  const { kind, short, defaultText, isRequired, help } = declared
  const code = (text: string) => (text === '' ? '' : `\`${text}\``)
  const flag = code(kind.hint ? `${flagOf(name)} <${kind.hint}>` : flagOf(name))
  return row(
    short === undefined ? flag : `${code(`-${short}`)}, ${flag}`,
    code(variableOf(name, declared)),
    isRequired ? 'required' : code(defaultText),
    help,
  )
}

/** The page of the settings of server and driver. */
export function settingsPage(): string {
  return `# Settings

Durations have a unit: \`720h\`, \`30m\`, \`90s\`. Rates such as \`20:60\` permit 20 requests per second after a burst of 60;
\`0\` disables the limit. Switches need no value on the command line (\`--allow-signup\`; off: \`--no-allow-signup\` or \`--allow-signup=false\`); elsewhere
they are \`true\` or \`false\`. An empty environment variable counts as unset.

## Server

The settings of \`svc serve\`. Precedence: flag, environment variable, config file (JSON or YAML), default.
The key of a setting in the config file is the name of its flag in camel case: \`serverPort\` for \`--server-port\`.

A running server reloads these settings from its config file on SIGHUP: ${RELOADABLE.map((name) => `\`${name}\``).join(', ')}.

${settingsTables(SETTINGS)}
## Driver

The settings of \`svc driver start\`. Precedence: flag, environment variable, default.

${settingsTables(DRIVER_SETTINGS).trimEnd()}
`
}
