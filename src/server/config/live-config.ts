import type { Config, SettingName } from './settings.ts'

/** Settings that a running server takes anew from its config file; all others need a restart. */
export const RELOADABLE = [
  'loginRate',
  'anonymousRate',
  'userRate',
  'signupRate',
  'submitRate',
  'eventsRetention',
  'eventsPruneInterval',
  'eventRateLimit',
  'calibrationRequestRetention',
  'calibrationResultRetention',
  'calibrationFitRetention',
  'logLevel',
] as const satisfies readonly SettingName[]

type ReloadableName = (typeof RELOADABLE)[number]

/** What a reload has found. */
export interface Reload {
  /** Reloadable settings with another value than before; they are in force. */
  changed: SettingName[]
  /** Settings with another value than the running one, which take effect at the next start. */
  needRestart: SettingName[]
}

/** The reloadable settings as they are now: read `current` whenever a value is used, never keep it. */
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

  /** Takes the reloadable settings of `config`, then calls the listeners if one has changed. */
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

  /** Calls `listener` after each change from now on; the returned function ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

function isReloadable(name: SettingName): boolean {
  return RELOADABLE.some((each) => each === name)
}
