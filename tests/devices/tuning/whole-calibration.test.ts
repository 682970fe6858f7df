import { describe, expect, test } from 'bun:test'
import { openTunerLab } from '../../support/cluster/tuner-lab.ts'
import { jobFigures } from '../../support/tuning/job-figures.ts'

const QUBITS = 2
const TIMEOUT_MS = 900_000

/** `bun bench/cluster/calibrations.ts` has the figures. */
describe.each(['1.0', '1.1'])('a chip at the outputs of a cluster, command set %s', (scpiVersion) => {
  test(
    'is calibrated by all routines from the first connection to the report, and jobs run on it',
    async () => {
      await using lab = await openTunerLab({ scpiVersion, qubits: QUBITS, seed: 4 })
      const findings = await lab.calibrate()
      const failures = findings.routines?.filter(({ status }) => status !== 'success')
      expect(failures).toEqual([])
      expect(findings.status).toBe('success')
      const { folder, hardwarePath } = lab
      const figures = await jobFigures(lab, folder, { qubits: QUBITS, shots: 4_000, findings, hardwarePath })
      expect(figures.bell).toBeGreaterThanOrEqual(0.95)
      expect(figures.frame).toBeLessThan(0.01)
      expect(lab.cluster.sequencers.some(({ sequencer }) => sequencer.isSynced)).toBe(false)
    },
    TIMEOUT_MS,
  )
})
