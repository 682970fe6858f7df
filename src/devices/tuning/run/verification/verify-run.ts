import type { Clock } from '../../../../base/index.ts'
import type { DriftLimits } from '../../drift/decide-drift.ts'
import type { Collision } from '../../plan/collisions.ts'
import { type Instance, type Instances, instancesOf, keyOf } from '../../plan/instances.ts'
import {
  type CalibrationPlan,
  type CheckResult,
  type PlanInput,
  planPartial,
  type RecordOf,
} from '../../plan/planner.ts'
import { RoutineError } from '../../routine.ts'
import { PARKING_PATH } from '../../walk/run-currents.ts'
import type { NodeRunner } from '../../walk/run-node.ts'
import { pathsOfUnits } from '../../walk/value-units.ts'
import { endedEarly, type NodeResult, type WalkResult, withoutUse } from '../../walk/walk.ts'
import { driftedChecks } from './drifted-checks.ts'
import { FREQUENCY, isBeside, type Switching, switchingOf } from './switching.ts'
import { benchmarkOf, verifyBenchmarks } from './verify-benchmarks.ts'

interface Verification {
  readonly input: PlanInput
  readonly runner: NodeRunner
  /** Walks through another plan, from the values that the run has found. */
  walkAgain(plan: CalibrationPlan): Promise<WalkResult>
  onCheck(node: Instance): void
  /** What the side file of the device file knows of a value of before. */
  readonly recordOf: RecordOf
  /** The settings of a fidelity check. */
  readonly quick: NodeRunner['settingsOf']
  readonly limits: DriftLimits
}

/**
 * Verifies what a full calibration has found: after hours, the checks of all its values run once more. What
 * has moved meanwhile is calibrated once more, with what follows from it. What is off even then is a failure
 * of the run: its new values are not written, those of before stay and are stale. A frequency that is off
 * even then is found a third time: a qubit that switches between two has returned, and keeps the one found
 * last.
 */
export async function verifyRun(walked: WalkResult, verification: Verification): Promise<WalkResult> {
  if (walked.stopped !== undefined) return walked
  const verified = await verifyValues(walked, verification)
  if (verified.stopped !== undefined) return verified
  const { input, runner, quick, limits, onCheck } = verification
  try {
    return await verifyBenchmarks(verified, { input, runner, quick, limits, onBenchmark: onCheck })
  } catch (error) {
    return { ...verified, ...endedEarly(error, runner) }
  }
}

async function verifyValues(walked: WalkResult, verification: Verification): Promise<WalkResult> {
  const { input, walkAgain } = verification
  const { routines } = input
  const look = { ...verification, routines, benchmarkOf: (node: Instance) => benchmarkOf(verified, node) }
  const instances = instancesOf(input)
  const nodes = [...instances.byKey.values()].filter((node) => isVerified(node, walked))
  let verified = walked
  try {
    const first = await driftedChecks(nodes, look)
    const moved = nodes.filter((node) => isOut(first, node))
    if (moved.length === 0) return walked
    const calibrated = new Set(moved)
    let checks: ReadonlyMap<string, CheckResult> = first
    let off = moved
    for (let time = 0; time < MAX_TIMES && off.length > 0; time++) {
      // Another time shows whether a frequency returns; anything else had its second chance.
      if (time > 0 && !off.some(({ routine }) => routine.writes.includes(FREQUENCY))) break
      const again = await walkAgain(planAgain(input, instances, checks))
      verified = joined(verified, again)
      if (again.stopped !== undefined) return verified
      for (const node of nodes) if (again.results.some((result) => isOf(result, node))) calibrated.add(node)
      const doubtful = nodes.filter((node) => calibrated.has(node))
      checks = await driftedChecks(doubtful, look)
      off = doubtful.filter((node) => isOut(checks, node))
    }
    return judged(verified, { moved, off, checks, switching: switchingOf(verified, walked), verification })
  } catch (error) {
    return { ...verified, ...endedEarly(error, verification.runner) }
  }
}

/** How often what has moved is calibrated again at most. */
const MAX_TIMES = 2
/** Times its limit by which something beside a qubit that switches may be off. */
const MAX_BESIDE = 3

interface Judgement {
  readonly moved: readonly Instance[]
  /** What is off at the end. */
  readonly off: readonly Instance[]
  readonly checks: ReadonlyMap<string, CheckResult>
  readonly switching: readonly Switching[]
  readonly verification: Verification
}

/** The run with what its verification says: of what was mended, of qubits that switch, of what is off. */
function judged(
  verified: WalkResult,
  { moved, off, checks, switching, verification }: Judgement,
): WalkResult {
  const { input } = verification
  const marginOf = (node: Instance) => {
    const check = checks.get(keyOf(node.routine.name, node.target))
    return check && 'margin' in check ? check.margin : undefined
  }
  const isOfSwitching = (node: Instance, { target }: Switching) =>
    isBeside(node.target, target, input.chip) &&
    (node.routine.writes.some((path) => FREQUENCIES.has(path)) || (marginOf(node) ?? 0) <= MAX_BESIDE)
  const failed = off.filter((node) => !switching.some((each) => isOfSwitching(node, each)))
  const fixed = moved.filter((node) => !off.includes(node))
  const notes = [
    ...fixed.map(noteOn),
    ...switching.map((each) => {
      const others = off.filter((node) => isOfSwitching(node, each))
      const texts = others.map((node) => `${node.target} ${node.routine.name} by ${timesOf(marginOf(node))}`)
      return `${each.text}${texts.length > 0 ? `; off at the end for this reason: ${texts.join(', ')}` : ''}`
    }),
  ]
  return failed.reduce<WalkResult>((result, node) => withdraw(result, node, marginOf(node), verification), {
    ...verified,
    notes: [...verified.notes, ...notes],
  })
}

/** What moves when a qubit switches, however far. */
const FREQUENCIES: ReadonlySet<string> = new Set([FREQUENCY, 'clock_freqs.f12'])

/** What has been found and can be checked. A coupler stays where it is parked. */
function isVerified(node: Instance, { results }: WalkResult): boolean {
  const { routine } = node
  if (!routine.check || routine.writes.includes(PARKING_PATH)) return false
  const last = results.findLast((result) => isOf(result, node))
  if (!last || last.outcome.error || last.isUnresolved) return false
  // A pinned value is not one of the run.
  return Object.values(last.parameters).some(({ isApplied }) => isApplied)
}

function isOf({ routine, target }: NodeResult, node: Instance): boolean {
  return routine.name === node.routine.name && target === node.target
}

function isOut(checks: ReadonlyMap<string, CheckResult>, { routine, target }: Instance): boolean {
  return checks.get(keyOf(routine.name, target))?.state === 'out'
}

/** The nodes that have moved, and what follows from them; what is left out is in the report already. */
function planAgain(
  input: PlanInput,
  instances: Instances,
  checks: ReadonlyMap<string, CheckResult>,
): CalibrationPlan {
  const scope = { instances, own: new Set<string>(), checked: [], note: undefined }
  const plan = planPartial(input, scope, checks, () => 'measured')
  return { ...plan, skipped: [], notes: plan.notes.map((note) => `at the end of the run, ${note}`) }
}

function joined(one: WalkResult, other: WalkResult): WalkResult {
  return {
    ...other,
    results: [...one.results, ...other.results],
    skipped: [...one.skipped, ...other.skipped.filter(({ reason }) => reason !== 'not_planned')],
    notes: [...one.notes, ...other.notes],
    stale: [...(one.stale ?? []), ...(other.stale ?? [])],
  }
}

function noteOn({ routine, target }: Instance): string {
  return `${target} ${routine.name}: moved during the run and was calibrated once more`
}

function timesOf(margin: number | undefined): string {
  return margin === undefined ? 'its limit' : `${margin.toPrecision(3)} times its limit`
}

/** The result without what a routine found on a target, which is a failure. */
function withdraw(
  walked: WalkResult,
  { routine, target }: Instance,
  margin: number | undefined,
  { runner: { values, clock }, recordOf }: Verification,
): WalkResult {
  const own = [...routine.writes, ...routine.optionalWrites]
  const paths = pathsOfUnits(own, (path) => values.before(target, path))
  const isSet = (path: string) => (values.before(target, path) ?? 0) !== 0
  for (const path of paths) values.restore(target, path)
  const message = `off by ${timesOf(margin)} at the end of the run, after one more calibration; the values of before are kept`
  return {
    ...walked,
    results: [
      ...walked.results.map((result) => (result.target === target ? withoutUse(result, paths) : result)),
      failureOf({ routine, target }, new RoutineError('not_verified', message), clock),
    ],
    stale: [
      ...(walked.stale ?? []),
      ...own.filter(isSet).map((path) => ({
        target,
        path,
        routine: routine.name,
        isUnusable: recordOf(target, path) === 'none',
      })),
    ],
  }
}

/**
 * A run with the collisions of what it has found: a note on each; where nothing tells two transitions apart,
 * both qubits fail that this run has measured, because what was found of one may be that of the other.
 */
export function withCollisions(
  walked: WalkResult,
  collisions: readonly Collision[],
  clock: Clock,
): WalkResult {
  const failures = collisions.flatMap(({ targets, text, isCertain }) =>
    targets.flatMap((target) => {
      const found = walked.results.findLast(
        (result) => result.target === target && result.parameters['clock_freqs.f01']?.isApplied === true,
      )
      if (!isCertain || !found) return []
      return [failureOf({ routine: found.routine, target }, new RoutineError('collision', text), clock)]
    }),
  )
  return {
    ...walked,
    results: [...walked.results, ...failures],
    notes: [...walked.notes, ...collisions.map(({ text }) => `as found, ${text}`)],
  }
}

/** A failure of what a routine has found on a target, which it did not see itself. */
function failureOf({ routine, target }: Instance, error: RoutineError, clock: Clock): NodeResult {
  return {
    routine,
    target,
    isUnresolved: false,
    parameters: {},
    outcome: {
      target,
      finding: undefined,
      error,
      attempts: 1,
      startedAt: clock.now(),
      durationS: 0,
      hasLeftConfig: false,
      remarks: [],
    },
  }
}
