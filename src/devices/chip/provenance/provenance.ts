import { existsSync, realpathSync } from 'node:fs'
import * as v from 'valibot'
import { stringify } from 'yaml'
import { sha256 } from '../../../base/index.ts'
import type { Edge, Element } from '../elements/element.ts'
import { isFields } from '../elements/element-type.ts'
import { readText } from '../files/watched-file.ts'
import { parseYaml } from '../files/yaml-text.ts'
import { DISCRIMINATORS, readoutBasis } from '../readout-unit.ts'
import { writeWhole } from '../write-back/replace-file.ts'

const HEADING =
  '# Which routine measured which value of the device file, with a hash of the value, and which a check found stale. Written by the tuner; safe to delete.\n'

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

/** A value that a check found stale. */
export interface StaleValue {
  element: string
  path: string
  value: unknown
  /** What found it: `t1`, or a benchmark. */
  routine: string
  /** Id of the calibration. */
  run: string
  /** UTC. */
  at: string
  /** Whether nothing of the element may be used until a check passes. */
  unusable?: true
}

/** The measured error of the gates of a qubit or an edge. */
export interface MeasuredGate {
  element: Element
  /** 1 - the average fidelity. */
  error: number
  /** The benchmark. */
  routine: string
  /** Id of the calibration. */
  run: string
  /** UTC. */
  at: string
  /** True for a check of values that a calibration before it has found. */
  isCheck?: boolean
}

/** How the qubits of a readout line are read together. */
export interface LineAssignment {
  /** The first one is the lowest bit. */
  readonly qubits: readonly string[]
  /** Probability of each outcome (columns) in each of the states (rows). */
  readonly matrix: readonly (readonly number[])[]
}

/** Where that is stored of the first qubit of a line. */
const LINE = 'readout_line'
const line = v.object({ qubits: v.array(v.string()), matrix: v.array(v.array(v.number())) })

/** Where the error of the gates of an element is stored: no value of the device file has this path. */
const GATES = { qubit: 'gates', edge: 'cz' } as const
/** The values on which that error depends. */
const GATE_VALUES = {
  qubit: ['rxy.amp180', 'rxy.motzoi', 'rxy.beta', 'rxy.duration', 'fine.amp90', 'clock_freqs.f01'],
  edge: [
    'clock_freqs.cz',
    ...['square_amp', 'square_duration', 'parent_phase_correction', 'child_phase_correction'].map(
      (key) => `cz.${key}`,
    ),
  ],
} as const

/** The current at which that gate was measured: files of former releases do not have it. */
const PARKING = 'bias.parking_current'

const staleMark = v.looseObject({
  routine: v.string(),
  run: v.string(),
  at: v.string(),
  value: v.string(),
  unusable: v.optional(v.boolean()),
})
const marked = v.looseObject({ stale: staleMark })
type StaleMark = v.InferOutput<typeof staleMark>

/** Origins by element and path. */
type Origins = Entries<StoredOrigin>
type Marks = Entries<StaleMark>

/** What a side file contains. */
interface SideFile {
  origins: Origins
  stale: Marks
}

/**
 * The side file of a device file that says which of its values were measured. It holds no values, only a hash
 * of each: a value that a person changed by hand afterwards counts as not measured. An absent, empty or
 * unreadable file is one that knows nothing; nothing fails for it.
 */
export class Provenance {
  readonly #path: string
  readonly #origins: Origins
  readonly #stale: Marks

  private constructor(path: string, { origins, stale }: SideFile) {
    this.#path = path
    this.#origins = origins
    this.#stale = stale
  }

  /** Reads the side file of the device file at `devicePath`. */
  static read(devicePath: string): Provenance {
    const path = provenancePathOf(devicePath)
    return new Provenance(path, readSideFile(path))
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

  /** What found a value stale that is still in use; undefined for one that is not known to be stale. */
  staleOf(element: string, path: string, value: unknown): StaleMark | undefined {
    const mark = at(this.#stale, element, path)
    return mark && mark.value === hashOfValue(value) ? mark : undefined
  }

  /** Records values that were written; all other entries stay as they are now in the file. */
  record(values: readonly MeasuredValue[]): void {
    if (values.length === 0) return
    const { origins, stale } = readSideFile(this.#path)
    const [changed, marks] = [copyOf(origins), copyOf(stale)]
    for (const { element, path, value, routine, run, at, fit } of values) {
      const stored = { routine, run, at, fit, value: hashOfValue(value) }
      changed[element] = { ...changed[element], [path]: stored }
      marks[element] = without(marks[element], path)
    }
    writeWhole(this.#path, textOf({ origins: changed, stale: marks }))
  }

  /** The error of the gate of an edge by a benchmark; undefined when its values have changed since. */
  gateErrorOf(edge: Edge): number | undefined {
    return errorIn(this.#gatesOf(edge), 'error')
  }

  /** The error of the gates of an element when its values were calibrated, which checks since leave. */
  calibratedErrorOf(element: Element): number | undefined {
    const stored = this.#gatesOf(element)
    return errorIn(stored, 'calibrated') ?? errorIn(stored, 'error')
  }

  /** What is recorded of the gates of an element; undefined when its values have changed since. */
  #gatesOf(element: Element): StoredOrigin | undefined {
    const stored = this.#stored(element.name, GATES[element.kind])
    return stored?.value === hashOfGate(element) && this.#isParkedAs(element, stored) ? stored : undefined
  }

  /** Whether a coupler is parked where it was when its gate was measured. */
  #isParkedAs({ name, values }: Element, { at, ['parked']: parked }: StoredOrigin): boolean {
    if (parked !== undefined) return parked === hashOfValue(values.get(PARKING))
    const origin = this.#stored(name, PARKING)
    return origin === undefined || origin.at <= at
  }

  /** Records measured errors of gates. */
  recordGates(gates: readonly MeasuredGate[]): void {
    if (gates.length === 0) return
    const { origins, stale } = readSideFile(this.#path)
    const changed = copyOf(origins)
    for (const { element, error, routine, run, at, isCheck = false } of gates) {
      const parked = hashOfValue(element.values.get(PARKING))
      const calibrated = isCheck ? (this.calibratedErrorOf(element) ?? error) : error
      const stored = { routine, run, at, fit: {}, value: hashOfGate(element), parked, error, calibrated }
      changed[element.name] = { ...changed[element.name], [GATES[element.kind]]: stored }
    }
    writeWhole(this.#path, textOf({ origins: changed, stale }))
  }

  /** The assignment of the line of which a qubit is the first; undefined when a readout has changed since. */
  lineOf({ name }: Element, elementOf: (name: string) => Element | undefined): LineAssignment | undefined {
    const stored = this.#stored(name, LINE)
    const { success, output } = v.safeParse(line, stored)
    return success && stored?.value === hashOfLine(output.qubits, elementOf) ? output : undefined
  }

  /** Records assignments of lines. */
  recordLines(
    lines: readonly LineAssignment[],
    found: { routine: string; run: string; at: string },
    elementOf: (name: string) => Element | undefined,
  ): void {
    if (lines.length === 0) return
    const { origins, stale } = readSideFile(this.#path)
    const changed = copyOf(origins)
    for (const { qubits, matrix } of lines) {
      const [first = ''] = qubits
      const stored = { ...found, fit: {}, value: hashOfLine(qubits, elementOf), qubits, matrix }
      changed[first] = { ...changed[first], [LINE]: stored }
    }
    writeWhole(this.#path, textOf({ origins: changed, stale }))
  }

  /** Marks values that are found stale, and removes the marks of routines that found an element good. */
  recordChecks(found: {
    stale: readonly StaleValue[]
    good: readonly { element: string; routine: string }[]
  }): void {
    const { origins, stale } = readSideFile(this.#path)
    const marks = copyOf(stale)
    for (const { element, routine } of found.good) {
      const others = Object.entries(marks[element] ?? {}).filter(([, mark]) => mark.routine !== routine)
      marks[element] = Object.fromEntries(others)
    }
    for (const { element, path, value, ...mark } of found.stale)
      marks[element] = { ...marks[element], [path]: { ...mark, value: hashOfValue(value) } }
    const before = textOf({ origins, stale })
    const after = textOf({ origins, stale: marks })
    if (after !== before) writeWhole(this.#path, after)
  }

  /** Notes that values came back from the previous device file: `restored` with the time. */
  recordRestore(values: readonly { element: string; path: string }[], at: string): void {
    const { origins: before, stale } = readSideFile(this.#path)
    const origins = copyOf(before)
    let isChanged = false
    for (const { element, path } of values) {
      const stored = origins[element]?.[path]
      if (!stored) continue
      origins[element] = { ...origins[element], [path]: { ...stored, restored: at } }
      isChanged = true
    }
    if (isChanged) writeWhole(this.#path, textOf({ origins, stale }))
  }

  #stored(element: string, path: string): StoredOrigin | undefined {
    return at(this.#origins, element, path)
  }
}

/** An entry of a table by element and path. */
type Entries<T> = Readonly<Record<string, Readonly<Record<string, T>>>>

function at<T>(entries: Entries<T>, element: string, path: string): T | undefined {
  const paths = Object.hasOwn(entries, element) ? entries[element] : undefined
  return paths && Object.hasOwn(paths, path) ? paths[path] : undefined
}

function without<T>(paths: Readonly<Record<string, T>> = {}, path: string): Record<string, T> {
  return Object.fromEntries(Object.entries(paths).filter(([each]) => each !== path))
}

/** `scheduler.device.provenance.yml` beside `scheduler.device.yml`, links resolved. */
export function provenancePathOf(devicePath: string): string {
  const path = existsSync(devicePath) ? realpathSync(devicePath) : devicePath
  return `${path.replace(/\.ya?ml$/, '')}.provenance.yml`
}

/** What a later reader compares a value with: 16 hexadecimal digits. */
function hashOfValue(value: unknown): string {
  return sha256(JSON.stringify(value) ?? '').slice(0, 16)
}

function hashOfGate({ values, kind }: Element): string {
  return hashOfValue(GATE_VALUES[kind].map((path) => values.get(path) ?? null))
}

function hashOfLine(qubits: readonly string[], elementOf: (name: string) => Element | undefined): string {
  return hashOfValue(
    qubits.map((qubit) => {
      const values = elementOf(qubit)?.values
      const valueAt = (path: string) => values?.get(path)
      return [...readoutBasis(valueAt), ...DISCRIMINATORS].map((path) => valueAt(path) ?? null)
    }),
  )
}

function errorIn(stored: StoredOrigin | undefined, key: 'error' | 'calibrated'): number | undefined {
  const error = stored?.[key]
  return typeof error === 'number' && error >= 0 && error < 1 ? error : undefined
}

function copyOf<T>(entries: Entries<T>): Record<string, Readonly<Record<string, T>>> {
  return { ...entries }
}

/** The readable entries of a side file. */
function readSideFile(path: string): SideFile {
  const text = readText(path)
  const yaml = typeof text === 'string' ? parseYaml(text) : undefined
  if (!yaml || 'problems' in yaml || !isFields(yaml.content)) return { origins: {}, stale: {} }
  const { content } = yaml
  const parsed = <T>(read: (stored: unknown) => T | undefined): Entries<T> =>
    Object.fromEntries(
      Object.entries(content).map(([element, paths]) => {
        const entries = isFields(paths) ? Object.entries(paths) : []
        const valid = entries.flatMap(([each, stored]) => {
          const value = read(stored)
          return value === undefined ? [] : [[each, value] as const]
        })
        return [element, Object.fromEntries(valid)] as const
      }),
    )
  return {
    origins: parsed((stored) => {
      const { success, output } = v.safeParse(origin, withoutMark(stored))
      return success ? output : undefined
    }),
    stale: parsed((stored) => {
      const { success, output } = v.safeParse(marked, stored)
      return success ? output.stale : undefined
    }),
  }
}

function withoutMark(stored: unknown): unknown {
  if (!isFields(stored)) return stored
  const { stale: _, ...rest } = stored
  return rest
}

/** One line for each value, so that a value changes one line. */
function textOf({ origins, stale }: SideFile): string {
  const elements = [...new Set([...Object.keys(origins), ...Object.keys(stale)])]
  const lines = elements.flatMap((element) => {
    const [measured, marks] = [origins[element] ?? {}, stale[element] ?? {}]
    const paths = [...new Set([...Object.keys(measured), ...Object.keys(marks)])]
    const entries = paths.map((path) => {
      const mark = marks[path] && { stale: marks[path] }
      return `  ${keyText(path)}: ${JSON.stringify({ ...measured[path], ...mark })}`
    })
    return entries.length === 0 ? [] : [`${keyText(element)}:`, ...entries]
  })
  return `${HEADING}${lines.join('\n')}\n`
}

function keyText(key: string): string {
  return stringify(key).trim()
}
