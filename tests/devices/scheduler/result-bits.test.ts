import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { resultBitsOf } from '../../../src/devices/scheduler/result-bits.ts'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'

const BITS = 4

/** A statement on result bits: what it writes where, from the bits before or the next outcome. */
interface Step {
  text: string
  to: number
  value(bits: readonly number[], next: () => number): number
}

const bit = fc.nat(BITS - 1)
const steps: fc.Arbitrary<Step> = fc.oneof(
  bit.map((to) => ({
    ...{ to, text: `c[${to}] = measure q[${to}];` },
    value: (_: readonly number[], next: () => number) => next(),
  })),
  fc.tuple(bit, bit).map(([to, from]) => ({
    ...{ to, text: `c[${to}] = c[${from}];` },
    value: (bits: readonly number[]) => bits[from] ?? 0,
  })),
  fc.tuple(bit, fc.nat(1)).map(([to, value]) => ({ to, text: `c[${to}] = ${value};`, value: () => value })),
  fc.tuple(bit, bit, bit).map(([to, one, other]) => ({
    ...{ to, text: `c[${to}] = ~c[${one}] ^ c[${other}];` },
    value: (bits: readonly number[]) => 1 ^ (bits[one] ?? 0) ^ (bits[other] ?? 0),
  })),
)

/** The result bits of a program and the values of the outcomes that an instrument returns for it. */
function bitsFor(text: string, values: readonly number[]) {
  const program = parseProgram(text)
  const circuit = lowerProgram(program, [])
  const execution = { stream: 0, circuitIndex: 0, parameterSet: 0, program, values: [], shots: 1 }
  const bits = resultBitsOf(circuit, { ...execution, expectationValues: [] })
  const outcomes = new Uint8Array(bits.outcomes)
  const measured = (circuit.ops ?? circuit.computed?.ops ?? []).filter((op) => op.kind === 'measure')
  for (const [index, { clbit }] of measured.entries()) if (clbit >= 0) outcomes[clbit] = values[index] ?? 0
  return { bits, outcomes, isComputed: circuit.computed !== undefined }
}

test('bits that are copied, computed or set are those that the statements say, for all outcomes', () => {
  let computed = 0
  fc.assert(
    fc.property(
      fc.array(steps, { maxLength: 10 }),
      fc.array(fc.nat(1), { minLength: 10 }),
      (list, values) => {
        const text = `OPENQASM 3.0; qubit[${BITS}] q; bit[${BITS}] c; ${list.map((step) => step.text).join(' ')}`
        const { bits, outcomes, isComputed } = bitsFor(text, values)
        const expected: number[] = [0, 0, 0, 0]
        let next = 0
        for (const { to, value } of list) expected[to] = value(expected, () => values[next++] ?? 0)
        expect([text, ...bits.bitsOf(outcomes)]).toEqual([text, ...expected])
        if (!isComputed) return
        computed += 1
        // The signal of a bit is that of the outcome that it holds.
        const holding = bits.held.flatMap((held, clbit) => (held < 0 ? [] : [clbit]))
        expect(holding.map((clbit) => outcomes[bits.held[clbit] ?? -1])).toEqual(
          holding.map((clbit) => expected[clbit]),
        )
      },
    ),
    { numRuns: 300 },
  )
  expect(computed).toBeGreaterThan(100)
})
