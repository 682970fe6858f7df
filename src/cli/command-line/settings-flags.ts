import { existsSync, readFileSync } from 'node:fs'
import type { ArgsDef } from 'citty'
import { AppError, messageOf } from '../../base/index.ts'
import { type Config, flagOf, readConfig, SETTINGS, variableOf } from '../../server/index.ts'
import type { Flags } from './flags.ts'

/** Declared arguments of every command that reads the server's settings, made from their table. */
export const settingsArgs: ArgsDef = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, declared]) => {
    const format: (value: unknown) => string = declared.kind.format as (value: unknown) => string
    const shown = format(declared.default)
    const fallback = shown === '' || shown === 'false' ? '' : `, default ${shown}`
    return [
      flagOf(name).slice(2),
      {
        type: declared.kind.hint === '' ? ('boolean' as const) : ('string' as const),
        valueHint: declared.kind.hint,
        description: `${declared.help} (${variableOf(name)}${fallback})`,
      },
    ]
  }),
)

/**
 * The effective configuration of this process.
 * @throws AppError naming source, key, value and remedy.
 */
export function loadConfig(flags: Flags): Config {
  const byName: Record<string, string | boolean | undefined> = {}
  for (const name of Object.keys(SETTINGS)) {
    const value = flags[flagOf(name).slice(2)]
    if (!Array.isArray(value)) byName[name] = value
  }
  return readConfig({ flags: byName, env: process.env, file: configFile(byName['configFile']) }).config
}

function configFile(flag: string | boolean | undefined): { path: string; text: string } | undefined {
  const given = typeof flag === 'string' ? flag : process.env['SVC_CONFIG_FILE']
  const path = given ?? SETTINGS.configFile.default
  if (given === undefined && !existsSync(path)) return undefined
  try {
    return { path, text: readFileSync(path, 'utf8') }
  } catch (error) {
    throw new AppError('invalid', `--config-file: cannot read ${path}; ${messageOf(error)}`, {
      reason: 'bad_config',
    })
  }
}
