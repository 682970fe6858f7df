import type { CalibrationFindings } from '../../../protocol/index.ts'
import type { Chip, DeviceFile } from '../../chip/device-file.ts'
import { Provenance, type StaleValue } from '../../chip/provenance/provenance.ts'
import type { CalibrationRequest } from '../../define-device.ts'
import { type FidelityThresholds, GATE_PROTOCOLS, judgeTargets } from '../drift/decide-drift.ts'
import { type Instance, keyOf } from '../plan/instances.ts'
import type { CheckResult } from '../plan/planner.ts'
import type { WalkResult } from '../walk/walk.ts'
import type { CalibrationSetup } from './setup.ts'
import type { WriteOutcome } from './write-results.ts'

/** The checks of a partial calibration. */
export interface RunChecks {
  readonly nodes: readonly Instance[]
  /** By key. */
  readonly results: ReadonlyMap<string, CheckResult>
}

/** What found a value stale or good. */
interface Finding {
  readonly routine: string
  readonly element: string
  readonly path: string
  readonly isStale: boolean
}

type RecordSetup = Pick<CalibrationSetup, 'devicePath' | 'clock' | 'log' | 'mayWrite'>

/**
 * Marks in the side file the values that checks found out and that the run has not replaced, and removes the
 * marks of those that hold or were measured again: jobs that use a marked value have a warning.
 */
export function recordChecks(
  { nodes, results }: RunChecks,
  {
    setup,
    file,
    walked,
    written,
    provenance,
    run,
  }: {
    setup: RecordSetup
    /** The device file at the start of the run. */
    file: DeviceFile
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
        (each.isUnresolved || each.parameters[path]?.isApplied === true),
    )
  const findings = nodes.flatMap((node): Finding[] => {
    const { routine, target } = node
    const state = results.get(keyOf(routine.name, target))?.state
    if (state !== 'in' && state !== 'out') return []
    const paths = [...routine.writes, ...routine.optionalWrites]
    const isStale = (path: string) => state === 'out' && !isRenewed(node, path)
    return paths.map((path) => ({ routine: routine.name, element: target, path, isStale: isStale(path) }))
  })
  recordFindings(findings, { setup, chip: file.chip, provenance, run })
}

/** The value that stands for the gate of a qubit or an edge. */
const GATE_PATHS = { qubit: 'rxy.amp180', edge: 'cz.square_amp' } as const

/**
 * Marks the gates that a fidelity check found worse than their thresholds, and removes the marks of others;
 * another calibration judges no gates.
 */
export function recordFidelityCheck(
  { mode, runId }: Pick<CalibrationRequest, 'mode' | 'runId'>,
  findings: CalibrationFindings,
  { setup, chip, thresholds }: { setup: RecordSetup; chip: Chip; thresholds: FidelityThresholds },
): void {
  if (mode !== 'fidelity_check') return
  const judged = [...judgeTargets(findings, thresholds)].flatMap(([target, drift]): Finding[] => {
    const element = chip.element(target)
    if (!element) return []
    const [protocol] = Object.entries(GATE_PROTOCOLS).find(([, kind]) => kind === element.kind) ?? ['']
    return [
      { routine: protocol, element: target, path: GATE_PATHS[element.kind], isStale: drift !== undefined },
    ]
  })
  recordFindings(judged, { setup, chip, provenance: Provenance.read(setup.devicePath), run: runId })
}

/** As with origins, that marks cannot be written is logged, and fails nothing. */
function recordFindings(
  findings: readonly Finding[],
  { setup, chip, provenance, run }: { setup: RecordSetup; chip: Chip; provenance: Provenance; run: string },
): void {
  if (!setup.mayWrite || findings.length === 0) return
  const at = new Date(setup.clock.now()).toISOString()
  const valuesOf = ({ element, path, routine }: Finding): StaleValue[] => {
    const value = chip.element(element)?.values.get(path)
    return value === undefined ? [] : [{ element, path, value, routine, run, at }]
  }
  const [stale, good] = [true, false].map((isStale) =>
    findings.filter((each) => each.isStale === isStale).flatMap(valuesOf),
  )
  try {
    provenance.recordChecks({ stale: stale ?? [], good: good ?? [] })
  } catch (error) {
    setup.log.warn('which values checks found stale could not be recorded', { error })
  }
}
