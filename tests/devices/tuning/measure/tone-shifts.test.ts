import { describe, expect, test } from 'bun:test'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { countsOn, openLine } from '../../../support/tuning/readout-line.ts'
import { RUNS_WHOLE } from '../../../support/whole.ts'

const QUBITS = 3
const SHOTS = 4_000
const HEAD = 'OPENQASM 3.0; include "stdgates.inc";'
const together = (gate: string) =>
  `${HEAD} bit[${QUBITS}] c; ${Array.from({ length: QUBITS }, (_, at) => `${gate} $${at}; c[${at}] = measure $${at};`).join(' ')}`
const alone = (qubit: number) => `${HEAD} bit c; c = measure $${qubit};`
const pair = `${HEAD} bit[2] c; c[0] = measure $0; c[1] = measure $2;`

describe.each([
  ...(RUNS_WHOLE
    ? [0.02, 0.05].flatMap((crosstalk) => [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => [crosstalk, seed] as const))
    : [[0.05, 1] as const]),
] as const)('a readout line with crosstalk %p, seed %i', (crosstalk, seed) => {
  test('reads idle qubits as well together as alone', async () => {
    using folder = temporaryFolder()
    const bench = await openLine({ folder: folder.path, qubits: QUBITS, crosstalk, seed })
    const findings = await bench.calibrate()
    expect([findings.status, findings.errors]).toEqual(['success', []])
    const programs = [together('id'), ...[0, 1, 2].map(alone), pair, together('x')]
    const [idle = {}, ...counts] = await countsOn(bench, folder.path, programs, SHOTS)
    const shareOf = (of: Record<string, number>, bit: number) =>
      Object.entries(of).reduce((sum, [bits, count]) => sum + (bits.at(-1 - bit) === '1' ? count : 0), 0) /
      SHOTS
    const wrong = [0, 1, 2].map((qubit) => shareOf(counts[qubit] ?? {}, 0))
    const error = (share: number) => Math.sqrt((share * (1 - share) + 1 / SHOTS) / SHOTS)
    for (const [qubit, share] of wrong.entries())
      expect(shareOf(idle, qubit)).toBeLessThan(2 * share + 4 * error(share))
    expect(shareOf(counts[3] ?? {}, 0)).toBeLessThan(2 * (wrong[0] ?? 0) + 4 * error(wrong[0] ?? 0))
  }, 60_000)
})
