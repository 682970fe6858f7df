import { expect, test } from 'bun:test'
import { killLoop } from '../../support/executable/kill-loop.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// The long form is scripts/endurance/kill-loop.ts; its figures are in docs/reference/faults.md.
test('killing server and driver at random moments loses, repeats and overcharges nothing', async () => {
  using folder = temporaryFolder()
  const report = await killLoop({ folder: folder.path, serverKills: 8, driverKills: 4 })
  const { lost, duplicated, completedTwice, chargedTwice, uncharged, misjudged, doctor } = report
  expect({ lost, duplicated, completedTwice, chargedTwice, uncharged, misjudged, doctor }).toEqual({
    lost: 0,
    duplicated: 0,
    completedTwice: 0,
    chargedTwice: 0,
    uncharged: 0,
    misjudged: 0,
    doctor: 'clean',
  })
  expect(report.miscounted).toBeGreaterThan(0)
  expect(report.completed).toBe(report.submitted - report.miscounted)
  expect(report.submitted).toBeGreaterThanOrEqual(36)
}, 120_000)
