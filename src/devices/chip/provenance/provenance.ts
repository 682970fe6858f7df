import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import * as v from 'valibot'
import { stringify } from 'yaml'
import { isFields } from '../elements/element-type.ts'
import { readText } from '../files/watched-file.ts'
import { parseYaml } from '../files/yaml-text.ts'
import { writeWhole } from '../write-back/replace-file.ts'

const HEADING =
  '# Which routine measured which value of the device file, with a hash of the value. Written by the tuner; safe to delete.\n'

/** How a value of the device file came about. */
interface Origin {
  routine: string
  /** Id of the calibration. */
  run: string
  /** UTC with milliseconds. */
  at: string
  /** The figures by which the fit was accepted. */
  fit: Readonly<Record<string, number>>
}

const origin = v.looseObject({
  routine: v.string(),
  run: v.string(),
  at: v.string(),
  fit: v.optional(v.record(v.string(), v.number()), {}),
  value: v.string(),
})
type StoredOrigin = v.InferOutput<typeof origin>

/** A value that was measured and written. */
export interface MeasuredValue extends Origin {
  element: string
  path: string
  value: unknown
}

/** Origins by element and path. */
type Origins = Readonly<Record<string, Readonly<Record<string, StoredOrigin>>>>

/**
 * The side file of a device file that says which of its values were measured. It holds no values, only a hash
 * of each: a value that somebody changed by hand afterwards counts as not measured. An absent, empty or
 * unreadable file is one that knows nothing; nothing fails for it.
 */
export class Provenance {
  readonly #path: string
  readonly #origins: Origins

  private constructor(path: string, origins: Origins) {
    this.#path = path
    this.#origins = origins
  }

  /** Reads the side file of the device file at `devicePath`. */
  static read(devicePath: string): Provenance {
    const path = provenancePathOf(devicePath)
    return new Provenance(path, readOrigins(path))
  }

  /** How a value was measured; undefined when it was not, or was changed by hand since. */
  originOf(element: string, path: string, value: unknown): Origin | undefined {
    const stored = this.#stored(element, path)
    return stored && stored.value === hashOfValue(value) ? stored : undefined
  }

  /** Whether a value was measured once, and is another one now. */
  isChangedByHand(element: string, path: string, value: unknown): boolean {
    const stored = this.#stored(element, path)
    return stored !== undefined && stored.value !== hashOfValue(value)
  }

  /** Records values that were written; all other entries stay as they are now in the file. */
  record(values: readonly MeasuredValue[]): void {
    if (values.length === 0) return
    const origins = copyOf(readOrigins(this.#path))
    for (const { element, path, value, routine, run, at, fit } of values) {
      const stored = { routine, run, at, fit, value: hashOfValue(value) }
      origins[element] = { ...origins[element], [path]: stored }
    }
    writeWhole(this.#path, textOf(origins))
  }

  /** Notes that values came back from the previous device file: `restored` with the time. */
  recordRestore(values: readonly { element: string; path: string }[], at: string): void {
    const origins = copyOf(readOrigins(this.#path))
    let isChanged = false
    for (const { element, path } of values) {
      const stored = origins[element]?.[path]
      if (!stored) continue
      origins[element] = { ...origins[element], [path]: { ...stored, restored: at } }
      isChanged = true
    }
    if (isChanged) writeWhole(this.#path, textOf(origins))
  }

  #stored(element: string, path: string): StoredOrigin | undefined {
    const paths = Object.hasOwn(this.#origins, element) ? this.#origins[element] : undefined
    return paths && Object.hasOwn(paths, path) ? paths[path] : undefined
  }
}

/** `scheduler.device.provenance.yml` beside `scheduler.device.yml`, links resolved. */
export function provenancePathOf(devicePath: string): string {
  const path = existsSync(devicePath) ? realpathSync(devicePath) : devicePath
  return `${path.replace(/\.ya?ml$/, '')}.provenance.yml`
}

/** What a later reader compares a value with: 16 hexadecimal digits. */
function hashOfValue(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, 16)
}

function copyOf(origins: Origins): Record<string, Readonly<Record<string, StoredOrigin>>> {
  return { ...origins }
}

/** The readable entries of a side file. */
function readOrigins(path: string): Origins {
  const text = readText(path)
  const yaml = typeof text === 'string' ? parseYaml(text) : undefined
  if (!yaml || 'problems' in yaml || !isFields(yaml.content)) return {}
  const elements = Object.entries(yaml.content).map(([element, paths]) => {
    const entries = isFields(paths) ? Object.entries(paths) : []
    const valid = entries.flatMap(([each, stored]) =>
      v.is(origin, stored) ? [[each, v.parse(origin, stored)] as const] : [],
    )
    return [element, Object.fromEntries(valid)] as const
  })
  return Object.fromEntries(elements)
}

/** One line for each value, so that a value changes one line. */
function textOf(origins: Origins): string {
  const lines = Object.entries(origins).flatMap(([element, paths]) => [
    `${keyText(element)}:`,
    ...Object.entries(paths).map(([path, stored]) => `  ${keyText(path)}: ${JSON.stringify(stored)}`),
  ])
  return `${HEADING}${lines.join('\n')}\n`
}

function keyText(key: string): string {
  return stringify(key).trim()
}
