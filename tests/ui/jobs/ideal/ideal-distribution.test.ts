import { expect, test } from 'bun:test'
import { type Circuit, lowerProgram, type Op, parseProgram } from '../../../../src/qasm/index.ts'
import { type Ideal, idealDistribution } from '../../../../ui/jobs/ideal/ideal-distribution.ts'
import { seededRandom } from '../../../../ui/lib/statistics.ts'
import { randomStep } from '../../../simulator/support/ops.ts'
import { distributionOf } from '../../../simulator/support/reference.ts'

const circuitOf = (ops: Op[], qubits: number, clbits: number): Circuit => ({
  ...{ qubits, clbits, ops, dynamic: false, warnings: [] },
  qregs: [['q', qubits]],
  cregs: [['c', clbits]],
})

function differences(found: Ideal, wanted: ReadonlyMap<string, number>): string[] {
  if (!('probabilities' in found)) return [found.unknown]
  const outcomes = [...new Set([...Object.keys(found.probabilities), ...wanted.keys()])]
  return outcomes.filter(
    (outcome) => Math.abs((found.probabilities[outcome] ?? 0) - (wanted.get(outcome) ?? 0)) > 1e-9,
  )
}

test('the distribution is that of the reference, with measurements and resets amid random programs', () => {
  const random = seededRandom(7)
  for (let program = 0; program < 60; program++) {
    const [qubits, clbits] = [2 + (program % 3), 1 + (program % 4)]
    const ops = Array.from({ length: 14 }, () => randomStep(qubits, clbits, random))
    const found = idealDistribution(circuitOf(ops, qubits, clbits))
    expect({ program, differ: differences(found, distributionOf(ops, qubits, clbits)) }).toEqual({
      program,
      differ: [],
    })
  }
})

const ideal = (text: string, values: number[] = []) =>
  idealDistribution(lowerProgram(parseProgram(text), values))

test('idle qubits cost nothing, and bits without a measurement are 0', () => {
  const text =
    'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[40] q;\nbit[3] c;\nx q[39];\nc[2] = measure q[39];'
  expect(ideal(text)).toEqual({ probabilities: { '100': 1 } })
})

test('a program that a page cannot calculate says why', () => {
  const wide = 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[13] q;\nbit[13] c;\nh q;\nc = measure q;'
  const feedback =
    'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nbit[2] c;\nh q[0];\nc[0] = measure q[0];\nif (c[0]) x q[1];\nc[1] = measure q[1];'
  expect([ideal(wide), ideal(feedback)]).toEqual([
    { unknown: 'it uses 13 qubits' },
    { unknown: 'outcomes decide what runs' },
  ])
})
