import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'
import { openLine } from '../../../../support/tuning/readout-line.ts'

interface LineData {
  qubits: string[]
  matrix?: number[][]
  assignments: number[][][]
  correlations: number[][]
  one_alone: number
  one_beside: number
}

test('a readout line is read together in all states, or refused with figures', async () => {
  using folder = temporaryFolder()
  const bench = await openLine({ folder: folder.path, qubits: 3, crosstalk: 0.05 })
  await bench.calibrate()
  const readLine = (targets: string[]) =>
    bench.tuner.runRoutine?.(
      { runId: 'run000000000002', routine: 'line_readout', targets, write: false },
      { signal: new AbortController().signal, progress: () => undefined },
    )
  const good = await readLine([])
  expect([good?.status, good?.errors]).toEqual(['success', []])
  const entries = good?.benchmarks ?? []
  expect(entries.map(({ target }) => target).sort()).toEqual(['q0', 'q1', 'q2'])
  for (const { fidelity } of entries) expect(fidelity).toBeGreaterThan(0.93)
  const first = entries[0]?.raw_data as LineData
  expect(first.qubits).toEqual(['q0', 'q1', 'q2'])
  expect(first.one_beside).toBeLessThan(2 * first.one_alone + 0.01)
  expect(first.matrix).toHaveLength(8)
  for (const row of first.matrix ?? []) expect(row.reduce((sum, share) => sum + share)).toBeCloseTo(1, 4)
  // The lowest bit of an outcome is the first qubit of the line.
  const asOne = [1, 3, 5, 7].reduce((sum, outcome) => sum + (first.matrix?.[1]?.[outcome] ?? 0), 0)
  expect(asOne).toBeGreaterThan(0.9)
  expect(first.correlations.map((row, at) => row[at])).toEqual([1, 1, 1])

  // As a file of an earlier version has it, which knows nothing of the others.
  const text = readFileSync(bench.devicePath, 'utf8')
  expect(text).toContain('tone_shifts')
  writeFileSync(bench.devicePath, text.replaceAll(/,? *tone_shifts: \[[^\]]*\]/g, ''))
  const bad = await readLine([])
  expect(bad?.status).not.toBe('success')
  expect(bad?.errors?.join('\n')).toMatch(
    /q\d line_readout: readout_crosstalk read beside q\d, q\d, q\d in 0 is 1 in [\d.]+ % of the shots, alone in [\d.]+ %/,
  )
}, 60_000)
