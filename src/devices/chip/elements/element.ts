import { EDGE_PARAMETERS } from './edge-parameters.ts'
import type { ParameterTable, ValueOf } from './parameter.ts'
import { ADDED_PARAMETERS, CALIBRATED_SUBMODULES, QUBIT_PARAMETERS } from './qubit-parameters.ts'

/** The classes of elements, by the last part of `element_type.path`. */
export const ELEMENT_CLASSES = {
  BasicTransmonElement: 'qubit',
  CalibratedTransmon: 'qubit',
  CompositeSquareEdge: 'edge',
  FluxTunableCoupler: 'edge',
} as const
export type ElementClass = keyof typeof ELEMENT_CLASSES

/** What the file says of an element. */
export interface ElementContent {
  name: string
  className: ElementClass
  /** Whether the class is one of other software, which refuses files with parameters unknown to it. */
  isForeign: boolean
  /** Values by path; only those that the file has. */
  values: ReadonlyMap<string, unknown>
  /** Keys in the file that lead to each of these values: names of other software stay as they are. */
  keys: ReadonlyMap<string, readonly string[]>
  /** Submodules that the file has, with the keys that lead to them. */
  submodules: ReadonlyMap<string, readonly string[]>
}

interface ElementOf<Table extends ParameterTable> extends ElementContent {
  /** The value of a parameter in SI units; its default or undefined where the file has none. */
  get<Path extends keyof Table>(path: Path): ValueOf<Table[Path]>
  /** Whether the element has this parameter, with a value or without: what it lacks is never written. */
  has(path: string): boolean
  /** Whether a value may be written: not into an element of other software that does not know it. */
  holds(path: string): boolean
  /** Paths of the parameters of all elements of this kind; this one may lack some. */
  paths: readonly string[]
  /** Keys in the file that lead to a parameter, or that would lead to it. */
  keysOf(path: string): readonly string[]
}

/** A qubit of a device file. */
export interface Qubit extends ElementOf<typeof QUBIT_PARAMETERS> {
  kind: 'qubit'
}

/** An edge of a device file: a coupling of two qubits. */
export interface Edge extends ElementOf<typeof EDGE_PARAMETERS> {
  kind: 'edge'
  parent: string
  child: string
}

export type Element = Qubit | Edge

export function qubitOf(content: ElementContent): Qubit {
  return { kind: 'qubit', ...accessTo(QUBIT_PARAMETERS, content, (path) => qubitHas(content, path)) }
}

export function edgeOf(content: ElementContent, ends: { parent: string; child: string }): Edge {
  const edge = accessTo(EDGE_PARAMETERS, content, (path) => edgeHas(content, path))
  const names = content.isForeign ? phaseNames(ends) : {}
  const keysOf = (path: string) => {
    const keys = edge.keysOf(path)
    return content.keys.has(path) ? keys : [...keys.slice(0, -1), names[path] ?? keys.at(-1) ?? '']
  }
  return { kind: 'edge', ...ends, ...edge, keysOf }
}

/** The value of a parameter whose path is only known as text; undefined where the element lacks it. */
export function valueAt(element: Element, path: string): unknown {
  const get: (path: never) => unknown = element.get
  return element.has(path) ? get(path as never) : undefined
}

function accessTo<Table extends ParameterTable>(
  table: Table,
  content: ElementContent,
  has: (path: string) => boolean,
): ElementOf<Table> {
  return {
    ...content,
    get: <Path extends keyof Table>(path: Path) => {
      const parameter = table[path]
      const value = content.values.get(String(path)) ?? parameter?.absent
      const isAbsent = Number.isNaN(value) || (value === 0 && parameter?.zeroIsAbsent === true)
      return (isAbsent ? parameter?.absent : value) as ValueOf<Table[Path]>
    },
    has: (path) => Object.hasOwn(table, path) && has(path),
    holds: (path) =>
      Object.hasOwn(table, path) &&
      has(path) &&
      (!content.isForeign || content.keys.has(path) || !ADDED_PARAMETERS.has(path)),
    paths: Object.keys(table),
    keysOf(path) {
      const [submodule = '', ...rest] = path.split('.')
      const inside = content.submodules.get(submodule) ?? [submodule]
      return content.keys.get(path) ?? [...inside, ...rest]
    },
  }
}

function qubitHas({ className, keys }: ElementContent, path: string): boolean {
  // A file has the derivative of the pulse as a number or in seconds, never both.
  if (path === 'rxy.beta') return keys.has('rxy.beta')
  if (path === 'rxy.motzoi') return !keys.has('rxy.beta')
  const [submodule = ''] = path.split('.')
  return className === 'CalibratedTransmon' || !CALIBRATED_SUBMODULES.has(submodule)
}

/** Other software names the phase corrections by the qubits. */
function phaseNames({ parent, child }: { parent: string; child: string }): Record<string, string> {
  return {
    'cz.parent_phase_correction': `${parent}_phase_correction`,
    'cz.child_phase_correction': `${child}_phase_correction`,
  }
}

function edgeHas({ className, submodules }: ElementContent, path: string): boolean {
  const [submodule = ''] = path.split('.')
  if (submodule === 'bias') return submodules.has('bias')
  if (submodule === 'clock_freqs') return className === 'FluxTunableCoupler' || submodules.has('clock_freqs')
  return true
}
