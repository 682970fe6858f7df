import { AppError, badField, messageOf, type Setting } from '../../base/index.ts'
import { editConfig } from './edit-config.ts'
import type { EffectiveConfig } from './read-config.ts'
import { type Config, SETTINGS, type SettingName } from './settings.ts'

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

/** Where a running server reads its settings again. */
export interface ConfigSource {
  /** Reads them as at the start; `text` instead of that of the config file, if given. */
  read(text?: string): EffectiveConfig
  /**
   * Replaces the config file, whole or not at all; returns false if its text is another one than `before`.
   * @throws AppError `conflict` if it cannot be written.
   */
  write(text: string, before: string): Promise<boolean>
}

/** A setting to change in the config file. */
interface SettingChange {
  name: ReloadableName
  /** Null for the default. */
  value: string | null
  /** The value in force that it replaces. */
  before: string
}

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
  readonly #source: ConfigSource | undefined
  #latest: EffectiveConfig
  #isChanging = false
  readonly #listeners = new Set<() => void>()

  /** Without a `source` the settings stay. */
  constructor(effective: EffectiveConfig, source?: ConfigSource) {
    this.#source = source
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
    try {
      return this.replace(this.#source?.read() ?? this.#latest)
    } catch (error) {
      const message = `Nothing is changed: ${messageOf(error)}`
      throw new AppError('conflict', message, { reason: 'wrong_settings', cause: error })
    }
  }

  /**
   * Changes a setting in the config file, then applies it.
   * @throws AppError `invalid` for a bad value; `conflict` if the file or the value is another one than was
   *   read last, if it is given elsewhere, and if the file cannot be written.
   */
  async change({ name, value, before }: SettingChange): Promise<Reload> {
    const { sources, places, fileText } = this.#latest
    if (sources[name] === 'flag' || sources[name] === 'environment')
      throw refused(
        'set_elsewhere',
        `${places[name]} is not changed by the config file; restart with another`,
      )
    if (!this.#source) throw refused('set_elsewhere', 'This server has no config file; restart it with one')
    const { kind }: Setting<unknown> = SETTINGS[name]
    const inForce = kind.format(this.current[name])
    if (this.#isChanging || inForce !== before) throw changedMeanwhile(name)
    const text = editConfig(fileText, name, value)
    const effective = readChanged(this.#source, text)
    this.#isChanging = true
    try {
      if (!(await this.#source.write(text, fileText))) throw changedMeanwhile(name)
    } finally {
      this.#isChanging = false
    }
    return this.replace(effective)
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

function readChanged(source: ConfigSource, text: string): EffectiveConfig {
  try {
    return source.read(text)
  } catch (error) {
    throw badField('The value is not accepted', 'value', messageOf(error))
  }
}

function changedMeanwhile(name: string): AppError {
  return refused('config_changed', `The config file was changed meanwhile; reload it and look at ${name}`)
}

function refused(reason: 'set_elsewhere' | 'config_changed', message: string): AppError {
  return new AppError('conflict', message, { reason })
}

/** Whether a running server reloads a setting. */
export function isReloadable(name: SettingName): boolean {
  return RELOADABLE.some((each) => each === name)
}
