import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'
import { openLine } from '../../../../support/tuning/readout-line.ts'

const LEAK = 0.05

/** A pair whose drive lines leak, the second qubit at a distance from the first, Hz. */
async function pairAt(folder: string, distance?: number, leak = LEAK) {
  const bench = await openLine({
    ...{ folder, qubits: 2, crosstalk: 0 },
    adjust({ qubits: { q0, q1 }, edges: { q0_q1 } }) {
      if (!q0 || !q1 || !q0_q1) throw new Error('the chip is no pair')
      q0_q1.drive_leak = [leak, leak]
      if (distance !== undefined) q1.f01 = q0.f01 + distance
    },
  })
  await bench.calibrate()
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

test('gates beside those of a qubit that leaks 10 % are no success', async () => {
  using folder = temporaryFolder()
  const together = await (await pairAt(folder.path, 0.4e6, 2 * LEAK))('simultaneous_rb')
  expect(together?.status).not.toBe('success')
  expect(together?.errors?.[0]).toMatch(/^q\d simultaneous_rb: (simultaneous_error|unresolved) /)
}, 60_000)
