import { flagOf, type Setting, type SettingSource, variableOf } from '../../base/index.ts'
import { isReloadable, type LiveConfig } from './live-config.ts'
import { type Config, SETTINGS, type SettingName } from './settings.ts'

/** Stands for a secret that is set. */
const MASK = '********'

/** A setting with its effective value, as texts that the config file accepts. */
interface ListedSetting {
  /** Key of the config file. */
  name: string
  flag: string
  variable: string
  group: string
  help: string
  /** The value in force; a secret is masked, and empty when it is not set. */
  value: string
  default: string
  source: SettingSource
  /** Flag, variable, or line and key of the config file; the flag for defaults. */
  place: string
  reloadable: boolean
  secret: boolean
  /** The value that the next start will use, where a reload has read another one; else null. */
  next_value: string | null
}

/** Every setting in the order of its declaration. `started` is the configuration of the start. */
export function listSettings(started: Config, live: LiveConfig): ListedSetting[] {
  const { config, sources, places } = live.latest
  const names = Object.keys(SETTINGS) as SettingName[]
  return names.map((name) => {
    const declared: Setting<unknown> = SETTINGS[name]
    const reloadable = isReloadable(name)
    const isPending = !reloadable && !Bun.deepEquals(started[name], config[name])
    const isSecret = declared.kind.isSecret === true
    return {
      name,
      flag: flagOf(name),
      variable: variableOf(name, declared),
      group: declared.group,
      help: declared.help,
      value: textOf(declared, reloadable ? config[name] : started[name]),
      default: isSecret ? '' : declared.defaultText,
      source: sources[name],
      place: places[name],
      reloadable,
      secret: isSecret,
      next_value: isPending ? textOf(declared, config[name]) : null,
    }
  })
}

function textOf({ kind }: Setting<unknown>, value: unknown): string {
  const text = kind.format(value)
  return kind.isSecret === true && text !== '' ? MASK : text
}
