import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkProgram, checkProgramInParts } from '../../src/qasm/index.ts'

const HEAD = 'OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit[4] c; float x = 1;'
const LINES = [
  'x = sin(x);',
  'cx q[0], q[1];',
  'c[1] = measure q[1];',
  'qubit q;',
  'rz(x) q[9];',
  'if (c[0]) { x q[0]; }',
]

test('checkProgramInParts() finds what checkProgram() finds, wherever it pauses', async () => {
  const block = fc
    .tuple(fc.constantFrom(...LINES), fc.nat(1_500))
    .map(([line, times]) => `${line}\n`.repeat(times))
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { maxLength: 4 }),
      fc.constantFrom('', 'oops ('),
      async (blocks, end) => {
        const text = [HEAD, ...blocks, end].join('\n')
        expect(await checkProgramInParts(text, async () => undefined)).toEqual(checkProgram(text))
      },
    ),
    { numRuns: 40 },
  )
})

test('checkProgramInParts() pauses at least every 1,000 statements, in reading and in checking', async () => {
  for (const line of LINES.slice(0, 3)) {
    let pauses = 0
    await checkProgramInParts(`${HEAD}\n${line.repeat(20_000)}`, async () => {
      pauses += 1
    })
    // Plain gate calls are packed and checked as one statement.
    expect(pauses).toBeGreaterThanOrEqual(line.startsWith('cx') ? 20 : 40)
  }
})
