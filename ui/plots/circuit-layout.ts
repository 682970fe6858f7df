import type { Control, Drawing, DrawnStep } from '../../src/qasm/index.ts'

/** A step in its column, with the symbol that stands for it. */
export interface PlacedStep {
  step: DrawnStep
  column: number
  symbol: CircuitSymbol
}

/** What is drawn: dots on `controls`, and `shape` on `wires`. */
interface CircuitSymbol {
  shape: 'box' | 'plus' | 'dot' | 'cross' | 'meter' | 'reset' | 'barrier'
  label: string
  wires: number[]
  controls: Control[]
}

/** A circuit in columns. */
export interface CircuitLayout {
  placed: PlacedStep[]
  columns: number
  /** Longest path through gates, measurements and resets. */
  depth: number
  /** Number of gates on two or more qubits. */
  entangling: number
}

/** Standard gates that have controls, with what they do to their last qubits. */
const CONTROLLED: Record<string, [controls: number, base: string]> = {
  cx: [1, 'x'],
  CX: [1, 'x'],
  cnot: [1, 'x'],
  ccx: [2, 'x'],
  cy: [1, 'y'],
  cz: [1, 'z'],
  ccz: [2, 'z'],
  ch: [1, 'h'],
  cs: [1, 's'],
  csx: [1, 'sx'],
  cp: [1, 'p'],
  cphase: [1, 'p'],
  crx: [1, 'rx'],
  cry: [1, 'ry'],
  crz: [1, 'rz'],
  cu: [1, 'u'],
  cswap: [1, 'swap'],
}

const NAMES: Record<string, string> = {
  sx: '√X',
  sdg: 'S†',
  tdg: 'T†',
  sxdg: '√X†',
  id: 'I',
  phase: 'P',
  rx: 'Rx',
  ry: 'Ry',
  rz: 'Rz',
}

/** Puts each step into the first column in which all wires that it crosses are free. */
export function layoutCircuit({ steps, qregs }: Drawing, hasArrows: boolean): CircuitLayout {
  const qubits = qregs.reduce((sum, [, size]) => sum + size, 0)
  const free = new Array<number>(qubits).fill(0)
  const levels = new Array<number>(qubits).fill(0)
  const placed: PlacedStep[] = []
  for (const step of steps) {
    const symbol = symbolOf(step)
    const touched = touchedBy(symbol)
    if (touched.length === 0) continue
    // The arrow of a measurement crosses everything below.
    const isArrow = step.kind === 'measure' && step.clbit >= 0 && hasArrows
    const crossed = wiresBetween(Math.min(...touched), isArrow ? qubits - 1 : Math.max(...touched))
    const column = raise(free, crossed)
    placed.push({ step, column, symbol })
    if (step.kind !== 'barrier' && step.kind !== 'delay') raise(levels, touched)
  }
  const entangling = placed.filter(({ step, symbol }) => step.kind === 'gate' && touchedBy(symbol).length > 1)
  return {
    placed,
    columns: Math.max(0, ...free),
    depth: Math.max(0, ...levels),
    entangling: entangling.length,
  }
}

const touchedBy = ({ wires, controls }: CircuitSymbol) => [...wires, ...controls.map(({ qubit }) => qubit)]

const wiresBetween = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Sets the entries of these wires to one more than the largest of them, which is returned. */
function raise(entries: number[], wires: readonly number[]): number {
  const highest = Math.max(...wires.map((wire) => entries[wire] ?? 0))
  for (const wire of wires) entries[wire] = highest + 1
  return highest
}

function symbolOf(step: DrawnStep): CircuitSymbol {
  switch (step.kind) {
    case 'gate':
      return gateSymbol(step)
    case 'measure':
      return { shape: 'meter', label: '', wires: [step.qubit], controls: [] }
    case 'reset':
      return { shape: 'reset', label: '|0⟩', wires: [step.qubit], controls: [] }
    case 'barrier':
      return { shape: 'barrier', label: '', wires: step.qubits, controls: [] }
    case 'delay':
      return { shape: 'box', label: formatDelay(step.seconds), wires: step.qubits, controls: [] }
  }
}

function gateSymbol(step: DrawnStep & { kind: 'gate' }): CircuitSymbol {
  const { name, targets, parameters, isInverse, power } = step
  const [count, base] = CONTROLLED[name] ?? [0, name]
  const added = targets.slice(0, count).map((qubit): Control => ({ qubit, value: 1 }))
  const controls = [...step.controls, ...added]
  const wires = targets.slice(count)
  if (power === 1 && controls.length > 0 && base === 'x' && wires.length === 1)
    return { shape: 'plus', label: '', wires, controls }
  if (power === 1 && controls.length > 0 && base === 'z' && wires.length === 1)
    return { shape: 'dot', label: '', wires, controls }
  if (power === 1 && base === 'swap') return { shape: 'cross', label: '', wires, controls }
  const angles = parameters.map(formatAngle).join(', ')
  const mark = `${isInverse ? '†' : ''}${power === 1 ? '' : `^${formatAngle(power)}`}`
  const title = NAMES[base] ?? (base.length <= 2 ? base.toUpperCase() : base)
  return { shape: 'box', label: `${title}${mark}${angles && ` ${angles}`}`, wires, controls }
}

const MAX_DENOMINATOR = 16

/** An angle as a multiple of π where it is one, otherwise with three digits. */
export function formatAngle(radians: number): string {
  if (radians === 0) return '0'
  for (let denominator = 1; denominator <= MAX_DENOMINATOR; denominator++) {
    const multiple = (radians / Math.PI) * denominator
    const whole = Math.round(multiple)
    if (whole === 0 || Math.abs(multiple - whole) > 1e-9 || Math.abs(whole) > 64) continue
    const factor = Math.abs(whole) === 1 ? '' : String(Math.abs(whole))
    return `${whole < 0 ? '−' : ''}${factor}π${denominator === 1 ? '' : `/${denominator}`}`
  }
  return String(Number(radians.toPrecision(3))).replace('-', '−')
}

function formatDelay(seconds: number): string {
  const [scale, unit] = seconds < 1e-6 ? [1e9, 'ns'] : seconds < 1e-3 ? [1e6, 'µs'] : [1e3, 'ms']
  return `${Number((seconds * Number(scale)).toPrecision(3))} ${unit}`
}
