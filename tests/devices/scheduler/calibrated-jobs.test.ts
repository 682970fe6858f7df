import { describe, expect, test } from 'bun:test'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { openBench } from '../../support/tuning/acceptance/cold-run.ts'
import { designFile } from '../../support/tuning/acceptance/design-file.ts'
import { jobFigures } from '../../support/tuning/job-figures.ts'

const QUBITS = 3
const TIMEOUT_MS = 300_000

/** `bun bench/tuning/jobs.ts` has five qubits and more chips. */
describe('jobs on a chip that was calibrated from a design file', () => {
  test.each([
    [1, 4],
    [-1, 2],
  ] as const)(
    'have the states that the chip can have, handedness %i, seed %i',
    async (hand, seed) => {
      using folder = temporaryFolder()
      const deviceFile = designFile({ columns: QUBITS, rows: 1 })
      const bench = await openBench({ folder: folder.path, deviceFile, seed, isObserved: false })
      expect(bench.truth.hand).toBe(hand)
      const findings = await bench.calibrate()
      expect(findings.status).toBe('success')
      const figures = await jobFigures(bench, folder.path, { qubits: QUBITS, shots: 4_000, findings })
      expect(figures.bell).toBeGreaterThanOrEqual(0.95)
      // Five standard deviations of 4,000 shots beyond the 0.02 of the benchmark.
      expect(Math.abs(figures.chain - figures.budget)).toBeLessThan(0.02 + 5 * 0.006)
      // A turn of the frame in the wrong direction leaves the qubit in 1.
      expect(figures.frame).toBeLessThan(0.01)
    },
    TIMEOUT_MS,
  )
})
