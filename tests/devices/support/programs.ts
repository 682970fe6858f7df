import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'
import { compile } from '../../../src/simulator/methods/statevector/gates/compile.ts'
import { Statevector } from '../../../src/simulator/methods/statevector/state/statevector.ts'
import { engine } from '../../simulator/support/run.ts'
import { openProcess, payloadOf, runJob } from './jobs.ts'

/** A program on `qubits` qubits that measures all of them at the end. */
export function measured(qubits: number, body: string): string {
  return `${unmeasured(qubits, body)}\nbit[${qubits}] c;\nc = measure q;`
}

/** A program on `qubits` qubits called `q`. */
export function unmeasured(qubits: number, body: string): string {
  return `OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[${qubits}] q;\n${body}`
}

/** Amplitudes `[2^qubits][re, im]`, flat. */
export interface FinalState {
  qubits: number
  amplitudes: Float64Array
}

/** The state in which a program without measurements ends. */
export function stateOf(text: string): FinalState {
  const circuit = lowerProgram(parseProgram(text), [])
  const state = new Statevector(engine, circuit.qubits)
  const steps = (circuit.ops ?? []).filter((op) => op.kind === 'unitary' || op.kind === 'phase')
  state.applyAll(steps.flatMap((op) => compile(op)))
  return { qubits: circuit.qubits, amplitudes: Float64Array.from(state.amplitudes) }
}

/** Largest difference between two states' amplitudes. */
export function difference(a: FinalState, b: FinalState): number {
  return a.amplitudes.reduce((most, part, i) => Math.max(most, Math.abs(part - (b.amplitudes[i] ?? 9))), 0)
}

/** Probability of each basis state. */
export function probabilitiesOf({ qubits, amplitudes }: FinalState): number[] {
  return Array.from(
    { length: 2 ** qubits },
    (_, i) => (amplitudes[2 * i] ?? 0) ** 2 + (amplitudes[2 * i + 1] ?? 0) ** 2,
  )
}

/** Counts of a program on `aer_sim` with a fixed seed. */
export async function countsOf(text: string, shots = 2_000, seed = 7): Promise<Record<string, number>> {
  const device = await openProcess('aer_sim', [`seed=${seed}`])
  return (await runJob(device, payloadOf([text], { shots }))).counts ?? {}
}

/** `value` as `width` bits, the least significant rightmost. */
export function bits(value: number, width: number): string {
  return value.toString(2).padStart(width, '0')
}

/** The quantum Fourier transform on `n` qubits: |k> → Σ_j e^{2πi jk/2^n} |j> / √2^n. */
export function qft(n: number): string {
  const lines: string[] = []
  for (let target = n - 1; target >= 0; target--) {
    lines.push(`h q[${target}];`)
    for (let control = target - 1; control >= 0; control--) {
      lines.push(`cp(pi/${2 ** (target - control)}) q[${control}], q[${target}];`)
    }
  }
  for (let low = 0; low < Math.floor(n / 2); low++) lines.push(`swap q[${low}], q[${n - 1 - low}];`)
  return lines.join('\n')
}

/** The inverse of `qft`. */
export function inverseQft(n: number): string {
  return qft(n)
    .split('\n')
    .toReversed()
    .map((line) => line.replace('(pi', '(-pi'))
    .join('\n')
}
