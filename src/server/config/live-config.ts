import type { EffectiveConfig } from './read-config.ts'
import type { Config, SettingName } from './settings.ts'

/** Settings that a running server reloads from its config file; all others need a restart. */
export const RELOADABLE = [
  'loginRate',
  'anonymousRate',
  'userRate',
  'signupRate',
  'submitRate',
  'jobsRetention',
  'eventsRetention',
  'eventsPruneInterval',
  'eventRateLimit',
  'calibrationRequestRetention',
  'calibrationResultRetention',
  'calibrationFitRetention',
  'serviceLimits',
  'logLevel',
] as const satisfies readonly SettingName[]

type ReloadableName = (typeof RELOADABLE)[number]

/** Result of a reload. */
export interface Reload {
  /** Reloadable settings whose value has changed; the new values are in force. */
  changed: SettingName[]
  /** Other settings whose value has changed; they take effect at the next start. */
  needRestart: SettingName[]
}

/** The reloadable settings in force. Read `current` whenever a value is used and do not store it. */
export class LiveConfig {
  readonly #started: Config
  readonly #read: () => EffectiveConfig
  #latest: EffectiveConfig
  readonly #listeners = new Set<() => void>()

  /** `read`: reads the settings again, as at the start; by default they stay. */
  constructor(effective: EffectiveConfig, read: () => EffectiveConfig = () => effective) {
    this.#read = read
    this.#started = effective.config
    this.#latest = effective
  }

  get current(): Readonly<Pick<Config, ReloadableName>> {
    return this.#latest.config
  }

  /** What was read last, at the start or by a reload; settings that cannot be reloaded may differ from it. */
  get latest(): EffectiveConfig {
    return this.#latest
  }

  /** Reads the settings again and applies the reloadable ones. Wrong settings throw and change nothing. */
  reload(): Reload {
    return this.replace(this.#read())
  }

  /** Applies the reloadable settings of `effective`, then calls the listeners if any has changed. */
  replace(effective: EffectiveConfig): Reload {
    const { config } = effective
    const changed = RELOADABLE.filter((name) => !Bun.deepEquals(this.current[name], config[name]))
    const names = Object.keys(config) as SettingName[]
    const needRestart = names.filter(
      (name) => !isReloadable(name) && !Bun.deepEquals(this.#started[name], config[name]),
    )
    this.#latest = effective
    if (changed.length > 0) for (const listener of [...this.#listeners]) listener()
    return { changed, needRestart }
  }

  /** Calls `listener` after each change until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** Whether a running server reloads a setting. */
export function isReloadable(name: SettingName): boolean {
  return RELOADABLE.some((each) => each === name)
}
