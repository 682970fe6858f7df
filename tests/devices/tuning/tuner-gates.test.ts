import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { quietTruth } from '../../support/simulated-chip/chips.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { pairLab } from '../../support/tuning/pair-lab.ts'

const HARDWARE = join(import.meta.dir, '../../../examples/scheduler.hardware.json')
const GATES = [
  ...['cz_parametrization', 'cz_chevron', 'cz_calibration', 'cz_local_phases', 'cz_rb'],
  'process_tomography',
]

test('a gate beyond what its line plays is declined with both numbers, and all that needs it', async () => {
  using folder = temporaryFolder()
  const truth = quietTruth(2, 8)
  const upper = truth.qubits['q1']
  // The qubits are then more than 700 MHz apart, and the line of the coupler plays up to 500 MHz.
  if (upper) upper.f01 += 400e6
  const routines = { t1: '{}', ...Object.fromEntries(GATES.map((name) => [name, '{}'])) }
  const lab = await pairLab(folder.path, truth, { routines, hardware: HARDWARE })
  const { status, errors, skipped = [] } = await lab.run('full')
  expect([status, errors]).toEqual(['success', []])
  const declined = skipped.filter(({ reason }) => reason === 'declined')
  expect(declined.map(({ routine, target }) => `${routine} ${target}`)).toEqual(
    GATES.map((name) => `${name} q0_q1`),
  )
  for (const { detail } of declined) {
    expect(detail).toMatch(
      /^the gate cannot be played: frequency from 0\.5\d+ GHz to 0\.\d+ GHz lies beyond what q0_q1:fl plays, 0 GHz to 0\.5 GHz$/,
    )
  }
})
