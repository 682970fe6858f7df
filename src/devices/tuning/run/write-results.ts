import type { DeviceFile } from '../../chip/device-file.ts'
import type { Provenance } from '../../chip/provenance/provenance.ts'
import { writeBack } from '../../chip/write-back/write-back.ts'
import type { CalibrationRequest } from '../../define-device.ts'
import { CalibrationError } from '../../errors.ts'
import type { FileOutcome } from '../report/build-findings.ts'
import type { RunValues } from '../walk/run-values.ts'
import type { NodeResult, WalkResult } from '../walk/walk.ts'
import type { CalibrationSetup } from './setup.ts'

interface WriteInput {
  readonly request: CalibrationRequest
  readonly setup: CalibrationSetup
  /** The device file as it was at the start of the run. */
  readonly file: DeviceFile
  readonly values: RunValues
  readonly walked: WalkResult
  readonly provenance: Provenance
}

/** The device file after a run; undefined when there was nothing to write, or nothing may be written. */
export interface WriteOutcome {
  readonly file: FileOutcome | undefined
  readonly error: string | undefined
}

/**
 * Writes what a run found into the device file, and beside it which routine found it. A fidelity check, a run
 * without a chip and one that ended early write nothing.
 */
export async function writeResults(input: WriteInput): Promise<WriteOutcome> {
  const { request, setup, file, values, walked } = input
  const { changes } = values
  const mayWrite = setup.mayWrite && request.mode !== 'fidelity_check' && walked.stopped === undefined
  if (!mayWrite || changes.length === 0) return { file: undefined, error: undefined }
  try {
    const { written, conflicts, unknown, before, after } = await writeBack(setup.devicePath, file, changes)
    recordOrigins(input, written)
    const names = (values: typeof written) => values.map(({ element, path }) => `${element}.${path}`)
    const left = { conflicts: names(conflicts), unknown: names(unknown) }
    return { file: { changed: written.length, before, after, ...left }, error: undefined }
  } catch (error) {
    if (!(error instanceof CalibrationError)) throw error
    return { file: undefined, error: error.message }
  }
}

/** The origins are a convenience: that they cannot be written is logged, and fails nothing. */
function recordOrigins(
  { request, setup, walked, provenance }: WriteInput,
  written: readonly { element: string; path: string; value: unknown }[],
): void {
  const at = new Date(setup.clock.now()).toISOString()
  const measured = written.flatMap(({ element, path, value }) => {
    const found = walked.results.findLast((result) => isSourceOf(result, element, path))
    if (!found) return []
    const fit = finiteOnly(found.outcome.finding?.quality ?? {})
    return [{ element, path, value, routine: found.routine.name, run: request.runId, at, fit }]
  })
  try {
    provenance.record(measured)
  } catch (error) {
    setup.log.warn('the origin of values could not be recorded', { error })
  }
}

function isSourceOf({ target, parameters }: NodeResult, element: string, path: string): boolean {
  return target === element && parameters[path]?.isApplied === true
}

function finiteOnly(figures: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => Number.isFinite(value)))
}
