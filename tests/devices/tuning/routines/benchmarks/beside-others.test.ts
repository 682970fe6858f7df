import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'
import { openLine } from '../../../../support/tuning/readout-line.ts'
import { part } from '../../../../support/whole.ts'

const LEAK = 0.05

/** A pair whose drive lines leak, the second qubit at a distance from the first, Hz. */
async function pairAt(folder: string, distance?: number, { leak = LEAK, seed = 1 } = {}) {
  const bench = await openLine({
    ...{ folder, qubits: 2, crosstalk: 0, seed },
    adjust({ qubits: { q0, q1 }, edges: { q0_q1 } }) {
      if (!q0 || !q1 || !q0_q1) throw new Error('the chip is no pair')
      q0_q1.drive_leak = [leak, leak]
      if (distance !== undefined) q1.f01 = q0.f01 + distance
    },
  })
  return (routine: string) =>
    bench.tuner.runRoutine?.(
      { runId: 'run000000000002', routine, targets: [], write: false },
      { signal: new AbortController().signal, progress: () => undefined },
    )
}

test('qubits far apart are driven beside each other, and the matrix has what leaks', async () => {
  using folder = temporaryFolder()
  const run = await pairAt(folder.path)
  const crosstalk = await run('drive_crosstalk')
  expect([crosstalk?.status, crosstalk?.errors]).toEqual(['success', []])
  for (const { raw_data, target } of crosstalk?.benchmarks ?? []) {
    const { qubits, shares } = raw_data as { qubits: string[]; shares: number[] }
    expect(qubits).toEqual([target === 'q0' ? 'q1' : 'q0'])
    expect(Math.abs((shares[0] ?? 0) - LEAK)).toBeLessThan(0.3 * LEAK)
  }
  const together = await run('simultaneous_rb')
  expect([together?.status, together?.errors]).toEqual(['success', []])
}, 60_000)

test('two qubits at 0.4 MHz with a leak of 5 % are no success, with figures', async () => {
  using folder = temporaryFolder()
  const run = await pairAt(folder.path, 0.4e6)
  const crosstalk = await run('drive_crosstalk')
  expect(crosstalk?.status).toBe('failed')
  expect(crosstalk?.errors?.[0]).toMatch(
    /^q0 drive_crosstalk: drive_crosstalk 20 half turns of q1, each [\d.]+ % of one of its own, 0.400 MHz away, leave it in 1 with [\d.]+ %$/,
  )
}, 60_000)

/** Distances at which no half turns in a row show it, and which a gate cannot tell apart either; Hz. */
const CLOSE = [0.4e6, 0.9e6, -2e6, 5e6]

test.each(CLOSE.slice(0, part(CLOSE.length, 1)))(
  'gates beside those of a qubit %p Hz away that leaks 5 % are no success, with its name and figures',
  async (distance) => {
    using folder = temporaryFolder()
    const run = await pairAt(folder.path, distance)
    const together = await run('simultaneous_rb')
    expect(together?.status).toBe('failed')
    const megahertz = Math.abs(distance / 1e6).toPrecision(3)
    expect(together?.errors?.map((error) => error.replace(/0\.00\d+/g, 'x'))).toEqual(
      [
        ['q0', 'q1'],
        ['q1', 'q0'],
      ].map(
        ([target, other]) =>
          `${target} simultaneous_rb: simultaneous_error pulses of ${other}, ${megahertz} MHz away, leak to it: its gates add x to the error of each of its own, those of all others x`,
      ),
    )
  },
  60_000,
)

test('a leak of 2 to 5 % does not count between qubits that are far apart', async () => {
  for (let seed = 1; seed <= part(40, 2); seed++) {
    using folder = temporaryFolder()
    const run = await pairAt(folder.path, undefined, { seed, leak: seed % 2 === 0 ? LEAK : 0.02 })
    const { status, errors, routines } = (await run('simultaneous_rb')) ?? {}
    expect([seed, status, errors]).toEqual([seed, 'success', []])
    for (const { quality } of routines ?? []) expect(Math.abs(Number(quality?.['leaked']))).toBeLessThan(2e-4)
  }
}, 120_000)
