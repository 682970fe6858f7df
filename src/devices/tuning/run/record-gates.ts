import * as v from 'valibot'
import { readDeviceFile } from '../../chip/device-file.ts'
import { readText } from '../../chip/files/watched-file.ts'
import type { MeasuredGate, Provenance } from '../../chip/provenance/provenance.ts'
import type { WalkResult } from '../walk/walk.ts'
import type { CalibrationSetup } from './setup.ts'
import type { WriteOutcome } from './write-results.ts'

/** The benchmarks whose fidelity is that of the gates of an element. */
export const GATE_BENCHMARKS: readonly string[] = ['randomized_benchmarking', 'cz_rb']

/** The benchmark of the qubits of a line together, and what it finds of the whole line. */
const LINE_BENCHMARK = 'line_readout'
const lineData = v.object({ qubits: v.array(v.string()), matrix: v.array(v.array(v.number())) })

/**
 * Records the errors of the gates that a run has measured beside the device file, and how lines are read
 * together: by the errors of edges jobs are placed on the chip, and checks for drift are compared with all of
 * them. Nothing is recorded for gates whose
 * values another person changed meanwhile, nor for a run that did not write what it found.
 */
export function recordGates({
  setup,
  walked,
  written,
  provenance,
  run,
  isCheck,
}: {
  setup: Pick<CalibrationSetup, 'devicePath' | 'clock' | 'log' | 'mayWrite'>
  walked: WalkResult
  written: WriteOutcome
  provenance: Provenance
  run: string
  /** A check of a qubit is not recorded, nor does one of an edge replace the error when it was calibrated. */
  isCheck: boolean
}): void {
  if (!setup.mayWrite || walked.stopped !== undefined || written.error !== undefined) return
  const found = walked.results.filter(({ outcome }) => outcome.error === undefined)
  const measured = found.filter(({ routine }) => GATE_BENCHMARKS.includes(routine.name))
  const read = found.filter(({ routine }) => routine.name === LINE_BENCHMARK)
  if (measured.length + read.length === 0) return
  const text = readText(setup.devicePath)
  const file = typeof text === 'string' ? readDeviceFile(text) : { problems: text.problems }
  if ('problems' in file) return
  const at = new Date(setup.clock.now()).toISOString()
  const isKept = (name: string) =>
    written.file?.conflicts.some((path) => path.startsWith(`${name}.`)) !== true
  const gates = measured.flatMap(({ routine, target, outcome }): MeasuredGate[] => {
    const element = file.chip.element(target)
    const { fidelity, upperBound } = outcome.finding?.benchmark ?? {}
    // An error that is not resolved is at most the bound, which is what a job can count on.
    const error = fidelity === undefined ? upperBound?.error : 1 - fidelity
    if (!element || (isCheck && element.kind === 'qubit') || !isKept(target) || error === undefined) return []
    return error >= 0 && error < 1 ? [{ element, error, routine: routine.name, run, at, isCheck }] : []
  })
  const lines = read.flatMap(({ outcome }) => {
    const { success, output } = v.safeParse(lineData, outcome.finding?.benchmark?.rawData)
    return success && output.qubits.every(isKept) ? [output] : []
  })
  try {
    provenance.recordGates(gates)
    provenance.recordLines(lines, { routine: LINE_BENCHMARK, run, at }, (name) => file.chip.element(name))
  } catch (error) {
    setup.log.warn('the errors of gates and readout lines could not be recorded', { error })
  }
}
