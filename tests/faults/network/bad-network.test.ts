import { expect, test } from 'bun:test'
import { whyNoBadCable } from '../../support/faults/bad-cable.ts'
import { closeRow } from '../../support/faults/fault-runs.ts'
import { networkFaults } from '../../support/faults/network-faults.ts'
import { skips } from '../../support/faults/prerequisites.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// F13; the long form is scripts/endurance/network-faults.ts.
test.skipIf(skips('a bad network', await whyNoBadCable()))(
  'a network that loses, delays, reorders and repeats packets loses, repeats and overcharges no job',
  async () => {
    using folder = temporaryFolder()
    const quality = { loss: 0.05, duplicates: 0.05, delayMs: 5, jitterMs: 20 }
    const report = await networkFaults({ folder: folder.path, seconds: 3, quality })
    const { lost, duplicated, completedTwice, chargedTwice, uncharged, doctor } = report
    closeRow('F13 bad network', { ...report })
    expect({ lost, duplicated, completedTwice, chargedTwice, uncharged, doctor }).toEqual({
      lost: 0,
      duplicated: 0,
      completedTwice: 0,
      chargedTwice: 0,
      uncharged: 0,
      doctor: 'clean',
    })
    expect(report.completed).toBe(report.submitted)
    // The network was bad indeed.
    expect(Math.min(report.completed, report.lost_packets, report.repeated)).toBeGreaterThan(5)
  },
  180_000,
)
