import { createRng } from '../../src/simulator/numeric/random.ts'

/** The modifiers of a gate, outermost first as in the program. */
export type Modifier =
  | { kind: 'ctrl' | 'negctrl'; count: number }
  | { kind: 'inv' }
  | { kind: 'pow'; exponent: number }

export type Step =
  | { kind: 'gate'; gate: string; params: number[]; modifiers: Modifier[]; qubits: number[] }
  | { kind: 'measure'; qubit: number; clbit: number }
  | { kind: 'reset'; qubit: number }
  | { kind: 'if'; clbit: number; value: 0 | 1; steps: Step[] }

/** A circuit as data: one side writes it as a program, the other builds it from the gates of Qiskit. */
export interface RandomCircuit {
  qubits: number
  clbits: number
  steps: Step[]
}

/** Every gate of the language and its standard library: name, parameters, qubits. */
const GATES: readonly [string, number, number][] = [
  ...['x', 'y', 'z', 'h', 's', 'sdg', 't', 'tdg', 'sx', 'id'].map((gate): [string, number, number] => [
    gate,
    0,
    1,
  ]),
  ...['p', 'rx', 'ry', 'rz', 'phase', 'u1'].map((gate): [string, number, number] => [gate, 1, 1]),
  ['u2', 2, 1],
  ['u3', 3, 1],
  ['U', 3, 1],
  ...['cx', 'cy', 'cz', 'ch', 'swap', 'CX'].map((gate): [string, number, number] => [gate, 0, 2]),
  ...['cp', 'crx', 'cry', 'crz', 'cphase'].map((gate): [string, number, number] => [gate, 1, 2]),
  ['cu', 4, 2],
  ['ccx', 0, 3],
  ['cswap', 0, 3],
  ['gphase', 1, 0],
]

/** Clifford gates, for methods that support no others. */
export const CLIFFORD: readonly string[] = [
  'x',
  'y',
  'z',
  'h',
  's',
  'sdg',
  'sx',
  'id',
  'cx',
  'cy',
  'cz',
  'swap',
]

/** The placement of the measurements of a random circuit. */
export type Pattern = 'none' | 'end' | 'some' | 'middle' | 'feedback'

interface Shape {
  seed: number
  qubits: number
  length: number
  pattern: Pattern
  modifiers?: boolean
  gates?: readonly string[]
}

/** A circuit that is determined by its seed alone. */
export function randomCircuit({
  seed,
  qubits,
  length,
  pattern,
  modifiers = true,
  gates,
}: Shape): RandomCircuit {
  const rng = createRng(seed)
  const below = (n: number) => Math.floor(rng.next() * n)
  const table = gates ? GATES.filter(([name]) => gates.includes(name)) : GATES
  const fitting = table.filter(([, , width]) => width <= qubits)
  const angle = () => (below(4) === 0 ? ((below(17) - 8) * Math.PI) / 4 : (rng.next() - 0.5) * 4 * Math.PI)
  const shuffled = () => {
    const all = Array.from({ length: qubits }, (_, qubit) => ({ qubit, key: rng.next() }))
    return all.sort((a, b) => a.key - b.key).map(({ qubit }) => qubit)
  }
  const modifier = (free: number): Modifier => {
    const kind = below(free > 0 ? 4 : 2)
    if (kind === 0) return { kind: 'inv' }
    if (kind === 1) return { kind: 'pow', exponent: [2, -1, 0.5, 3, -1.5, 0.25][below(6)] ?? 2 }
    return { kind: kind === 2 ? 'ctrl' : 'negctrl', count: 1 + below(Math.min(2, free)) }
  }
  const gateStep = (): Step => {
    const [gate, paramCount, width] = fitting[below(fitting.length)] ?? ['x', 0, 1]
    const list: Modifier[] = []
    let used = width
    while (modifiers && list.length < 3 && below(4) === 0) {
      const next = modifier(Math.min(4, qubits) - used)
      if ('count' in next) used += next.count
      list.push(next)
    }
    const params = Array.from({ length: paramCount }, angle)
    return { kind: 'gate', gate, params, modifiers: list, qubits: shuffled().slice(0, used) }
  }
  const collapse = (): Step => {
    const kind = below(pattern === 'feedback' ? 3 : 2)
    if (kind === 0) return { kind: 'reset', qubit: below(qubits) }
    if (kind === 1) return { kind: 'measure', qubit: below(qubits), clbit: below(qubits) }
    return {
      kind: 'if',
      clbit: below(qubits),
      value: below(2) === 0 ? 0 : 1,
      steps: [gateStep(), gateStep()],
    }
  }
  const collapses = pattern === 'middle' || pattern === 'feedback'
  const steps = Array.from({ length }, () => (collapses && below(6) === 0 ? collapse() : gateStep()))
  const last = shuffled()
  const measured = pattern === 'none' ? 0 : pattern === 'some' ? 1 + below(qubits) : qubits
  for (const [place, qubit] of last.slice(0, measured).entries()) {
    steps.push({ kind: 'measure', qubit, clbit: pattern === 'some' ? place : qubit })
  }
  return { qubits, clbits: pattern === 'none' ? 0 : qubits, steps }
}

/** The circuit as an OpenQASM 3 program. */
export function toProgram({ qubits, clbits, steps }: RandomCircuit): string {
  return [
    'OPENQASM 3.0;',
    'include "stdgates.inc";',
    `qubit[${qubits}] q;`,
    ...(clbits > 0 ? [`bit[${clbits}] c;`] : []),
    ...steps.map(statement),
  ].join('\n')
}

function statement(step: Step): string {
  if (step.kind === 'measure') return `c[${step.clbit}] = measure q[${step.qubit}];`
  if (step.kind === 'reset') return `reset q[${step.qubit}];`
  if (step.kind === 'if') {
    return `if (c[${step.clbit}] == ${step.value}) { ${step.steps.map(statement).join(' ')} }`
  }
  const before = step.modifiers.map((modifier) => {
    if (modifier.kind === 'inv') return 'inv @ '
    if (modifier.kind === 'pow') return `pow(${modifier.exponent}) @ `
    return `${modifier.kind}(${modifier.count}) @ `
  })
  const params = step.params.length > 0 ? `(${step.params.join(', ')})` : ''
  return `${before.join('')}${step.gate}${params} ${step.qubits.map((qubit) => `q[${qubit}]`).join(', ')};`
}
