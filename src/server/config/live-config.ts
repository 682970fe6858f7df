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
  #current: Readonly<Pick<Config, ReloadableName>>
  readonly #listeners = new Set<() => void>()

  constructor(config: Config) {
    this.#started = config
    this.#current = config
  }

  get current(): Readonly<Pick<Config, ReloadableName>> {
    return this.#current
  }

  /** Applies the reloadable settings of `config`, then calls the listeners if any has changed. */
  replace(config: Config): Reload {
    const changed = RELOADABLE.filter((name) => !Bun.deepEquals(this.#current[name], config[name]))
    const names = Object.keys(config) as SettingName[]
    const needRestart = names.filter(
      (name) => !isReloadable(name) && !Bun.deepEquals(this.#started[name], config[name]),
    )
    this.#current = config
    if (changed.length > 0) for (const listener of [...this.#listeners]) listener()
    return { changed, needRestart }
  }

  /** Calls `listener` after each change until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

function isReloadable(name: SettingName): boolean {
  return RELOADABLE.some((each) => each === name)
}
