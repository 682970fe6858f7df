import type { CalibrationFindings } from '../../../protocol/index.ts'
import type { Chip } from '../../chip/device-file.ts'
import { Provenance, type StaleValue } from '../../chip/provenance/provenance.ts'
import { DISCRIMINATORS } from '../../chip/readout-unit.ts'
import type { CalibrationRequest } from '../../define-device.ts'
import { type DriftLimits, judgeFindings } from '../drift/decide-drift.ts'
import { type Instance, keyOf } from '../plan/instances.ts'
import type { CheckResult } from '../plan/planner.ts'
import type { RunValues } from '../walk/run-values.ts'
import type { NodeResult, WalkResult } from '../walk/walk.ts'
import type { CalibrationSetup } from './setup.ts'
import type { WriteOutcome } from './write-results.ts'

/** The checks of a partial calibration. */
export interface RunChecks {
  readonly nodes: readonly Instance[]
  /** By key. */
  readonly results: ReadonlyMap<string, CheckResult>
}

/** A value that something found stale. */
interface Stale {
  readonly routine: string
  readonly element: string
  readonly path: string
  /** Whether nothing of the element may be used until a check passes. */
  readonly isUnusable?: boolean
}

/** A routine by which the values of an element hold. */
interface Good {
  readonly routine: string
  readonly element: string
}

type RecordSetup = Pick<CalibrationSetup, 'devicePath' | 'clock' | 'log' | 'mayWrite'>

/**
 * Marks in the side file the values that checks found out and that the run has not replaced, and those that
 * the run left without what belongs to them: jobs that use a marked value have a warning. A mark ends with a
 * check or a result of the routine that set it, and with a new value.
 */
export function recordChecks(
  checks: RunChecks | undefined,
  {
    setup,
    chip,
    walked,
    written,
    provenance,
    run,
  }: {
    setup: RecordSetup
    /** The values of the device file after the run. */
    chip: Pick<RunValues, 'get'>
    walked: WalkResult
    written: WriteOutcome
    provenance: Provenance
    run: string
  },
): void {
  const isWritten = walked.stopped === undefined && written.error === undefined
  const isRenewed = ({ routine, target }: Instance, path: string) =>
    isWritten &&
    walked.results.some(
      (each) =>
        each.routine.name === routine.name &&
        each.target === target &&
        each.parameters[path]?.isApplied === true,
    )
  // A gate with a tone has another value tuned than one without.
  const isLeftOut = ({ routine, target }: Instance, path: string) => {
    const last = walked.results.findLast(
      (each) => each.routine.name === routine.name && each.target === target,
    )
    return isWritten && last !== undefined && isFound(last) && !(path in last.parameters)
  }
  const judged = (checks?.nodes ?? []).map((node) => {
    const state = checks?.results.get(keyOf(node.routine.name, node.target))?.state
    return { ...node, state }
  })
  const stale = judged.flatMap(({ state, ...node }): Stale[] => {
    if (state !== 'out') return []
    const { routine, target } = node
    const paths = [...routine.writes, ...routine.optionalWrites].filter(
      (path) => !isRenewed(node, path) && !isLeftOut(node, path),
    )
    return paths.map((path) => ({ routine: routine.name, element: target, path }))
  })
  const left = isWritten ? (walked.stale ?? []) : []
  const found = isWritten ? walked.results.filter(isFound) : []
  const good = [...judged.filter(({ state }) => state === 'in'), ...found].map(({ routine, target }) => ({
    routine: routine.name,
    element: target,
  }))
  const all = [...stale, ...left.map(({ target, ...each }) => ({ ...each, element: target }))]
  recordFindings({ stale: all, good }, { setup, chip, provenance, run })
}

function isFound({ outcome, isUnresolved }: NodeResult): boolean {
  return !outcome.error && !isUnresolved
}

/** The values of an element that a routine of a fidelity check finds stale. */
export const MARKED: Readonly<Record<string, readonly string[]>> = {
  randomized_benchmarking: ['rxy.amp180'],
  t1: ['rxy.amp180'],
  ramsey_correction: ['clock_freqs.f01'],
  two_state_discrimination: DISCRIMINATORS,
  readout_fidelity: DISCRIMINATORS,
  cz_rb: ['cz.square_amp'],
}

/**
 * Marks what a fidelity check found worse than its limits, and removes the marks of what it found good;
 * another calibration judges nothing.
 */
export function recordFidelityCheck(
  { mode, runId }: Pick<CalibrationRequest, 'mode' | 'runId'>,
  findings: CalibrationFindings,
  { setup, chip, limits }: { setup: RecordSetup; chip: Chip; limits: DriftLimits },
): void {
  if (mode !== 'fidelity_check') return
  const judged = judgeFindings(findings, limits).filter(({ target }) => chip.element(target) !== undefined)
  const stale = judged
    .filter(({ state }) => state === 'out')
    .flatMap(({ routine, target }) =>
      (MARKED[routine] ?? []).map((path) => ({ routine, element: target, path })),
    )
  const good = judged
    .filter(({ state }) => state === 'in')
    .map(({ routine, target }) => ({ routine, element: target }))
  const values = {
    get: (element: string, path: string) => chip.element(element)?.values.get(path),
  }
  recordFindings(
    { stale, good },
    { setup, chip: values, provenance: Provenance.read(setup.devicePath), run: runId },
  )
}

/** As with origins, that marks cannot be written is logged, and fails nothing. */
function recordFindings(
  { stale, good }: { stale: readonly Stale[]; good: readonly Good[] },
  {
    setup,
    chip,
    provenance,
    run,
  }: { setup: RecordSetup; chip: Pick<RunValues, 'get'>; provenance: Provenance; run: string },
): void {
  if (!setup.mayWrite || stale.length + good.length === 0) return
  const at = new Date(setup.clock.now()).toISOString()
  const marks = stale.flatMap(({ element, path, routine, isUnusable = false }): StaleValue[] => {
    const value = chip.get(element, path)
    const mark = { element, path, value, routine, run, at, ...(isUnusable && { unusable: true as const }) }
    return value === undefined ? [] : [mark]
  })
  try {
    provenance.recordChecks({ stale: marks, good })
  } catch (error) {
    setup.log.warn('which values checks found stale could not be recorded', { error })
  }
}
