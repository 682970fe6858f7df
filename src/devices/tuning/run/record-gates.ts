import { readDeviceFile } from '../../chip/device-file.ts'
import { readText } from '../../chip/files/watched-file.ts'
import type { MeasuredGate, Provenance } from '../../chip/provenance/provenance.ts'
import type { WalkResult } from '../walk/walk.ts'
import type { CalibrationSetup } from './setup.ts'
import type { WriteOutcome } from './write-results.ts'

/** The benchmark whose fidelity is that of the gate of an edge. */
const GATE_BENCHMARK = 'cz_rb'

/**
 * Records the errors of the gates that a run has measured beside the device file, by which jobs are placed on
 * the chip. Nothing is recorded for a gate whose values somebody else changed meanwhile, nor for a run that
 * did not write what it found.
 */
export function recordGates({
  setup,
  walked,
  written,
  provenance,
  run,
}: {
  setup: Pick<CalibrationSetup, 'devicePath' | 'clock' | 'log' | 'mayWrite'>
  walked: WalkResult
  written: WriteOutcome
  provenance: Provenance
  run: string
}): void {
  if (!setup.mayWrite || walked.stopped !== undefined || written.error !== undefined) return
  const measured = walked.results.filter(
    ({ routine, outcome }) => routine.name === GATE_BENCHMARK && outcome.error === undefined,
  )
  if (measured.length === 0) return
  const text = readText(setup.devicePath)
  const file = typeof text === 'string' ? readDeviceFile(text) : { problems: text.problems }
  if ('problems' in file) return
  const at = new Date(setup.clock.now()).toISOString()
  const isKept = (edge: string) =>
    written.file?.conflicts.some((path) => path.startsWith(`${edge}.`)) !== true
  const gates = measured.flatMap(({ routine, target, outcome }): MeasuredGate[] => {
    const edge = file.chip.element(target)
    const { fidelity, upperBound } = outcome.finding?.benchmark ?? {}
    // An error that is not resolved is at most the bound, which is what a job can count on.
    const error = fidelity === undefined ? upperBound?.error : 1 - fidelity
    if (edge?.kind !== 'edge' || !isKept(target) || error === undefined) return []
    return error >= 0 && error < 1 ? [{ edge, error, routine: routine.name, run, at }] : []
  })
  try {
    provenance.recordGates(gates)
  } catch (error) {
    setup.log.warn('the errors of gates could not be recorded', { error })
  }
}
