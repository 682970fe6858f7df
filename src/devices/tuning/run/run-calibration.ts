import { HOUR_S } from '../../../base/index.ts'
import type { CalibrationFindings } from '../../../protocol/index.ts'
import type { DeviceFile } from '../../chip/device-file.ts'
import type { Element } from '../../chip/elements/element.ts'
import { notesOnPriorValues } from '../../chip/provenance/prior-values.ts'
import { Provenance } from '../../chip/provenance/provenance.ts'
import { qualityOf } from '../../chip/quality.ts'
import type { CalibrationIo, CalibrationRequest } from '../../define-device.ts'
import { chipValuesOf } from '../chip-values.ts'
import { type CalibrationConfig, isPinned } from '../config/calibration-config.ts'
import { Recall } from '../continuation/recall.ts'
import type { FinishedSteps } from '../continuation/step-journal.ts'
import { LONG_WAIT_NS } from '../measure/heralded.ts'
import { resetOf } from '../measure/references.ts'
import { collisionsOf } from '../plan/collisions.ts'
import { estimatePlan, warnOfDuration } from '../plan/estimate.ts'
import { orderGraph } from '../plan/graph.ts'
import { groupTargets } from '../plan/groups.ts'
import {
  type CalibrationPlan,
  type PlanInput,
  type PlannedNode,
  planFidelityCheck,
  planFull,
  planPartial,
  planRoutine,
  type RecordOf,
  scopeOfPartial,
} from '../plan/planner.ts'
import { Progress } from '../progress.ts'
import { buildFindings } from '../report/build-findings.ts'
import type { Routine } from '../routine.ts'
import { runChecks } from '../walk/checks.ts'
import { PARKING_PATH, RunCurrents } from '../walk/run-currents.ts'
import type { NodeRunner } from '../walk/run-node.ts'
import { RunValues } from '../walk/run-values.ts'
import { type WalkEvent, type WalkInput, walk } from '../walk/walk.ts'
import type { ChosenRoutine } from './choose-routine.ts'
import { readsTogether, sharesLine, sweepLimitsOf } from './hardware-limits.ts'
import { type RunChecks, recordChecks } from './record-checks.ts'
import { GATE_BENCHMARKS, recordGates } from './record-gates.ts'
import { RunHeralds } from './run-heralds.ts'
import { RunSteps } from './run-steps.ts'
import { isEnabled, settingsFor } from './settings.ts'
import type { CalibrationSetup } from './setup.ts'
import { verifyRun, withCollisions } from './verification/verify-run.ts'
import { type WriteOutcome, writeResults } from './write-results.ts'

/** What one run follows. */
interface RunInput {
  /** The device file at the start of the run. */
  readonly file: DeviceFile
  readonly config: CalibrationConfig
  /** All routines; their order follows from what they depend on. */
  readonly routines: readonly Routine[]
  /** Remarks for the report. */
  readonly notes: readonly string[]
  /** The only routine to run, whatever the mode of the request. */
  readonly only?: ChosenRoutine
  /** Where finished steps are kept, and those of the run that this one continues. */
  readonly finished?: FinishedSteps | undefined
}

/** Time of one shot beside its reset, s. */
const READOUT_S = 5e-6

/**
 * A parked coupler shifts the frequencies of the qubits beside it, which these routines measure again; the
 * spectroscopy finds that of a qubit which switches between two values. Where the qubit came close to a
 * defect or left one, it relaxes in another time, which its readout shows as well: its checks tell. What
 * depends on coherence is measured again, so that a report is about one operating point.
 */
const AFTER_PARKING = {
  always: [
    { name: 'ramsey_correction', otherwise: 'qubit_01_spectroscopy' },
    { name: 'ramsey_correction_12', otherwise: 'qubit_12_spectroscopy' },
  ],
  ifStale: ['two_state_discrimination', 'three_state_discrimination'],
  ifMoved: [
    't1',
    't2',
    't2_echo',
    'readout_fidelity',
    'all_xy',
    'randomized_benchmarking',
    'purity_benchmarking',
  ],
} as const

/**
 * Runs one calibration: plans, walks through the routines, writes what they found and returns the findings. A
 * run that is stopped or that loses its instrument writes nothing and reports what it found until then.
 * @throws CalibrationError for targets that are not calibrated, and when a coupler current is not restored.
 */
export async function runCalibration(
  request: CalibrationRequest,
  io: CalibrationIo,
  setup: CalibrationSetup,
  { file, config, routines, notes, only, finished }: RunInput,
): Promise<CalibrationFindings> {
  const { clock, log, devicePath, instrument } = setup
  const { mode } = request
  const isCheck = mode === 'fidelity_check'
  const chip = chipValuesOf(file.chip)
  const values = new RunValues(chip)
  const currents = new RunCurrents(setup.couplers, request.runId, io.signal)
  const over = new AbortController()
  const progress = new Progress({ clock, signal: over.signal, send: (step) => io.progress(step) })
  const canReadTogether = readsTogether(file.chip, setup, values)
  const isOfLine = sharesLine(file.chip, setup)
  const heralds = new RunHeralds(clock)
  const runner: NodeRunner = {
    instrument,
    currents,
    values,
    clock,
    log,
    signal: io.signal,
    maxAttempts: config.maxAttempts,
    timeoutS: config.routineTimeoutS,
    settingsOf: (routine, target) => settingsFor(config, mode, routine, target),
    limits: sweepLimitsOf(file.chip, setup),
    sharesLine: (one, other) => isOfLine(one, other) && canReadTogether(one, other),
    heralds: config.heralding ? heralds : undefined,
  }
  const provenance = Provenance.read(devicePath)
  const input: PlanInput = {
    routines: orderGraph(routines),
    chip,
    qubits: config.targetQubits,
    edges: config.targetEdges,
    isEnabled: (routine) => isEnabled(config, mode, routine),
  }
  const steps = new RunSteps(clock, (step) => progress.report(step))
  const recall = finished && new Recall(finished, chip, runner)
  try {
    const recordOf: RecordOf = (element, path) => {
      const value = file.chip.element(element)?.values.get(path)
      if (provenance.originOf(element, path, value)) return 'measured'
      return provenance.isChangedByHand(element, path, value) ? 'changed' : 'none'
    }
    const { plan, checks } = only
      ? { plan: planRoutine(input, only.routine, only.targets) }
      : await planRun(request, input, runner, steps, recordOf)
    const shotSeconds = READOUT_S + longestReset(chip.qubits, values)
    const number = (element: string, path: string) => values.number(element, path)
    const designed = collisionsOf(chip, number)
    const exclude = [...config.parallel.exclude, ...designed.map(({ targets }) => targets)]
    const rules = { ...config.parallel, exclude }
    const group: WalkInput['group'] = (targets, { isReadAlone }) =>
      groupTargets(targets, {
        chip,
        rules,
        canReadTogether: (one, other) =>
          canReadTogether(one, other) && !(isReadAlone && isOfLine(one, other)),
      })
    const isVerified = mode === 'full' && !only
    const isHeralded = config.heralding && 1e9 * shotSeconds >= LONG_WAIT_NS
    const times = { shotSeconds, group, isVerified, isHeralded }
    steps.plan(plan, times)
    log.info('calibration planned', {
      mode,
      hours: Number((estimatePlan(plan, times) / HOUR_S).toFixed(2)),
      starts: isHeralded ? 'by a reading, where it is good enough' : 'by a full wait',
    })
    const warning = warnOfDuration(plan, mode, times)
    if (warning !== undefined) log.warn(warning)
    const priors = notesOnPriorValues({
      chip: file.chip,
      provenance,
      targets: targetsOf(plan),
      producersOf: (path) =>
        only?.routine.reads.includes(path) === false ? [] : producersOf(routines, path),
      runsOn: (name, target) =>
        !isCheck &&
        plan.nodes.some((node) => node.routine.name === name && allTargets(node).includes(target)),
    })
    const enabled = (name: string) => routines.find((each) => each.name === name && input.isEnabled(name))
    const walkThrough = (each: CalibrationPlan, onEvent: (event: WalkEvent) => void) =>
      walk({
        plan: each,
        chip,
        runner,
        ...(recall && { measure: recall.measure }),
        pauseS: config.safety.pauseAfterStepS,
        group,
        measuresPenalty: config.parallel.measurePenalty,
        // A fidelity check is about the values in force: what it finds beside is compared with them.
        isPinned: (element, path) => isCheck || isPinned(config, element, path),
        onEvent,
        parks: setup.mayWrite,
        keepsUnits: only !== undefined,
        afterParking: {
          always: AFTER_PARKING.always.flatMap(({ name, otherwise }) => {
            const routine = enabled(name)
            return routine ? [{ routine, otherwise: enabled(otherwise) }] : []
          }),
          ifStale: AFTER_PARKING.ifStale.flatMap((name) => enabled(name) ?? []),
          ifMoved: AFTER_PARKING.ifMoved.flatMap((name) => enabled(name) ?? []),
        },
      })
    const verifying = ({ routine, ...event }: WalkEvent) => {
      for (const target of event.kind === 'begin' ? event.targets : [event.target])
        steps.verify({ routine, target })
    }
    const first = await walkThrough(plan, (event) => steps.take(event))
    const verified = isVerified
      ? await verifyRun(first, {
          input,
          runner,
          recordOf,
          limits: setup.limits,
          walkAgain: (again) => walkThrough(again, verifying),
          onCheck: (node) => steps.verify(node),
          quick: (routine, target) => settingsFor(config, 'fidelity_check', routine, target),
        })
      : first
    const walked = withCollisions(verified, collisionsOf(chip, number), clock)
    if (walked.stopped === undefined) await currents.announce(devicePath)
    const written = await writeResults({ request, setup, file, values, walked, provenance })
    recordGates({ setup, walked, written, provenance, run: request.runId, isCheck })
    if (!isCheck)
      recordChecks(checks, { setup, chip: values, walked, written, provenance, run: request.runId })
    const settled = await currents.settle((edge) => hasParkingCurrent(written, edge))
    steps.written()
    return await buildFindings({
      backend: setup.backend,
      chip,
      values,
      walk: walked,
      file: written.file,
      fileError: written.error,
      passedChecks: plan.passedChecks,
      previousErrorOf: (protocol, target) => previousErrorOf(file.chip.element(target), protocol, provenance),
      relativeErrorOf: (element, path) =>
        provenance.originOf(element, path, file.chip.element(element)?.values.get(path))?.fit['se_rel'],
      notes: [
        ...notes,
        ...(recall?.notes(request.resume) ?? []),
        ...config.notes,
        ...(warning === undefined ? [] : [warning]),
        ...designed.map(({ text }) => `as the device file had it, ${text}`),
        ...priors,
        ...heralds.notes(),
        ...settled,
      ],
    })
  } finally {
    progress.flush()
    over.abort()
    // After a defect nothing is known to be written; otherwise all couplers are settled already.
    await currents.settle(() => false)
  }
}

/** The error that a benchmark had when the values in force were calibrated; undefined where none is known. */
function previousErrorOf(
  element: Element | undefined,
  protocol: string,
  provenance: Provenance,
): number | undefined {
  if (!element) return undefined
  if (protocol === 'readout_fidelity') return qualityOf(element, provenance).readout_error
  return GATE_BENCHMARKS.includes(protocol) ? provenance.calibratedErrorOf(element) : undefined
}

/** Whether the device file now has the current that the run found for a coupler. */
function hasParkingCurrent({ file, error }: WriteOutcome, edge: string): boolean {
  return file !== undefined && error === undefined && !file.conflicts.includes(`${edge}.${PARKING_PATH}`)
}

/** The routines that find a path; one that refines the value of another counts only where no other does. */
function producersOf(routines: readonly Routine[], path: string): string[] {
  const writers = routines.filter((each) => [...each.writes, ...each.optionalWrites].includes(path))
  const producers = writers.filter(({ refiner }) => !refiner)
  return (producers.length > 0 ? producers : writers).map(({ name }) => name)
}

/** The targets that a plan considers. */
function targetsOf({ nodes, skipped }: CalibrationPlan): string[] {
  return [...new Set([...nodes.flatMap(allTargets), ...skipped.map(({ target }) => target)])]
}

function allTargets({ targets, ifMoved }: PlannedNode): string[] {
  return [...targets, ...ifMoved]
}

async function planRun(
  { mode, targetQubits }: CalibrationRequest,
  input: PlanInput,
  runner: NodeRunner,
  steps: RunSteps,
  recordOf: RecordOf,
): Promise<{ plan: CalibrationPlan; checks?: RunChecks }> {
  if (mode === 'full') return { plan: planFull(input) }
  if (mode === 'fidelity_check') return { plan: planFidelityCheck(input, targetQubits) }
  const scope = scopeOfPartial(input, targetQubits)
  const checks = await runChecks(scope.checked, runner, (node, at) =>
    steps.check(node, at, scope.checked.length),
  )
  const plan = planPartial(input, scope, checks, recordOf)
  return { plan, checks: { nodes: scope.checked, results: checks } }
}

function longestReset(qubits: readonly string[], values: RunValues): number {
  const resetAt = (qubit: string) =>
    resetOf(values.number(qubit, 'reset.duration'), values.number(qubit, 'coherence.t1'))
  return Math.max(...qubits.map(resetAt))
}
