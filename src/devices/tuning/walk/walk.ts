import { CalibrationError } from '../../errors.ts'
import type { FitTrace } from '../../fitting/fit.ts'
import { type ChipElements, qubitsOf } from '../plan/chip-elements.ts'
import { keyOf, missingFor, type SkippedNode } from '../plan/instances.ts'
import type { CalibrationPlan, PlannedNode } from '../plan/planner.ts'
import type { Finding, FoundNumber, FoundValue, Routine } from '../routine.ts'
import { Blocking } from './blocking.ts'
import { runChecks } from './checks.ts'
import { hasMoved, MovedValues } from './moved.ts'
import { PARKING_PATH } from './run-currents.ts'
import { type NodeOutcome, type NodeRunner, runNode } from './run-node.ts'
import type { RunValues } from './run-values.ts'
import { type StaleUse, Units } from './value-units.ts'

/** A value that a routine found, with the one before it. */
export interface FoundParameter extends FoundValue {
  readonly previous: unknown
  /** Whether the run uses it from here on and the device file is to have it. */
  readonly isApplied: boolean
}

/** A routine that ran on a target. */
export interface NodeResult {
  readonly routine: Routine
  readonly target: string
  readonly outcome: NodeOutcome
  /** The measurement is valid, but the present value is as good and is kept. */
  readonly isUnresolved: boolean
  readonly parameters: Readonly<Record<string, FoundParameter>>
  /** The outcome of the target alone, after a benchmark that ran on a group. */
  readonly alone?: NodeOutcome | undefined
}

/** What a walk reports while it goes on. */
export type WalkEvent =
  | {
      readonly kind: 'begin'
      readonly at: number
      readonly routine: Routine
      readonly targets: readonly string[]
    }
  | {
      readonly kind: 'end'
      readonly at: number
      readonly routine: Routine
      readonly target: string
      readonly outcome: 'success' | 'failed' | 'unresolved' | SkippedNode['reason']
      /** What was measured. */
      readonly trace?: FitTrace | undefined
    }
  | { readonly kind: 'park'; readonly at: number; readonly routine: Routine; readonly target: string }

/** Everything a walk uses. */
export interface WalkInput {
  readonly plan: CalibrationPlan
  readonly chip: ChipElements
  readonly runner: NodeRunner
  /**
   * Measures a routine on a group of targets, by default with {@link runNode}.
   * @param valuesWith the values of the run as they are with those of an outcome
   */
  measure?(
    routine: Routine,
    targets: readonly string[],
    valuesWith: (outcome: NodeOutcome) => RunValues,
  ): Promise<NodeOutcome[]>
  /** Splits the targets of a routine into groups that are measured together. */
  group(targets: readonly string[], routine: Routine): string[][]
  /** Whether a value is measured and reported, but never changed. */
  isPinned(element: string, path: string): boolean
  onEvent(event: WalkEvent): void
  /** Pause after each group, s: lets a cryostat cool down after a ramp. */
  readonly pauseS?: number
  /** Whether a benchmark of a group is repeated on each target alone, for the cost of running together. */
  readonly measuresPenalty?: boolean
  /** False to leave couplers where they are, in a run that writes nothing. */
  readonly parks?: boolean
  /** False to keep values without those that belong to them: a routine of one's choice finds no others. */
  readonly keepsUnits?: boolean
  /** What follows on the qubits beside a coupler that has been parked, because that shifts them. */
  readonly afterParking?: AfterParking
}

/** Routines of a qubit that follow when a coupler beside it is parked. */
interface AfterParking {
  readonly always: readonly Refinement[]
  /** Those that follow where their check is out. */
  readonly ifStale?: readonly Routine[]
  /** Those whose results belong to the frequencies of before, once a coupler has really moved. */
  readonly ifMoved?: readonly Routine[]
}

/** A routine that follows when a coupler is parked. */
interface Refinement {
  readonly routine: Routine
  /** What finds its value more coarsely where it has no clear result itself. */
  readonly otherwise?: Routine | undefined
}

/** What a walk did. */
export interface WalkResult {
  readonly results: readonly NodeResult[]
  readonly skipped: readonly SkippedNode[]
  readonly notes: readonly string[]
  /** Values in use that are not known to be right, and what did not confirm them. */
  readonly stale?: readonly StaleUse[]
  /** Why it ended early; undefined when it reached its end. */
  readonly stopped: string | undefined
  /** Whether that is because a person stopped the run. */
  readonly isAborted?: boolean
}

/**
 * Walks through the nodes of a plan in order. Every routine sees the values found before it. A failure stops
 * neither other targets nor routines that do not read the missing values. Only a stop of the run, the loss of
 * the instrument and a current that cannot be restored end the walk early.
 */
export async function walk(input: WalkInput): Promise<WalkResult> {
  const state = new Walk(input)
  try {
    for (const [at, node] of input.plan.nodes.entries()) await state.runNode(at, node)
    return state.result(undefined)
  } catch (error) {
    return { ...state.result(undefined), ...endedEarly(error, input.runner) }
  }
}

/** Why an error ends a run early, and whether it was stopped on request. */
export function endedEarly(
  error: unknown,
  { signal, log }: Pick<NodeRunner, 'signal' | 'log'>,
): Pick<WalkResult, 'stopped' | 'isAborted'> {
  const cause = signal.aborted ? signal.reason : error
  if (cause instanceof CalibrationError) return { stopped: cause.message, isAborted: signal.aborted }
  log.error('calibration ended early', { error: cause })
  const name = cause instanceof Error ? cause.name : 'Error'
  return { stopped: `${name}: the run ended early, see the driver log` }
}

class Walk {
  readonly #input: WalkInput
  readonly #blocking: Blocking
  readonly #moved: MovedValues
  readonly #results: NodeResult[] = []
  readonly #skipped: SkippedNode[] = []
  readonly #notes: string[] = []
  readonly #units: Units
  readonly #stale: StaleUse[] = []
  /** Edges that the present node has parked, and whether each got another current. */
  readonly #parked: { edge: string; hasMoved: boolean }[] = []

  constructor(input: WalkInput) {
    this.#input = input
    this.#blocking = new Blocking(input.chip)
    this.#moved = new MovedValues(input.chip)
    this.#units = new Units(input.runner.values)
  }

  result(stopped: string | undefined): WalkResult {
    const { plan } = this.#input
    return {
      results: this.#results,
      skipped: [...plan.skipped, ...this.#skipped],
      notes: [...plan.notes, ...this.#notes],
      stale: this.#stale,
      stopped,
    }
  }

  async runNode(at: number, { routine, targets, ifMoved }: PlannedNode): Promise<void> {
    const runnable = [
      ...targets,
      ...ifMoved.filter((target) => this.#isConcerned(at, routine, target)),
    ].filter((target) => !this.#isBlocked(at, routine, target))
    await this.#measure(at, routine, runnable)
    const parked = this.#parked.splice(0)
    if (parked.length > 0) await this.#refineBeside(at, parked)
    this.#settleUnits(at)
  }

  /** What belongs to changed values and is not found any more is as before, or has a mark. */
  #settleUnits(at: number): void {
    const { plan, keepsUnits = false } = this.#input
    const later = plan.nodes.slice(at + 1)
    const broken = this.#units.settle(
      (target, completes) =>
        later.some(
          ({ routine, targets, ifMoved }) => completes(routine) && [...targets, ...ifMoved].includes(target),
        ),
      !keepsUnits,
    )
    for (const { target, routine, restored, stale } of broken) {
      this.#stale.push(...stale.map((path) => ({ target, path, routine })))
      if (restored.length > 0)
        this.#notes.push(
          `${target}: as before, because ${routine} found nothing that fits the new values: ${restored.join(', ')}`,
        )
      for (const [index, result] of this.#results.entries())
        if (result.target === target) this.#results[index] = withoutUse(result, restored)
    }
  }

  async #measure(at: number, routine: Routine, targets: readonly string[]): Promise<void> {
    const { runner, group, onEvent, pauseS = 0, measuresPenalty = false } = this.#input
    const { signal, clock } = runner
    for (const members of group(targets, routine)) {
      signal.throwIfAborted()
      onEvent({ kind: 'begin', at, routine, targets: members })
      const outcomes = await this.#outcomesOf(routine, members)
      for (const outcome of outcomes) {
        const { target, error } = outcome
        const isRepeated = measuresPenalty && routine.isBenchmark && members.length > 1 && !error
        const [alone] = isRepeated ? await this.#outcomesOf(routine, [target]) : []
        await this.#take(at, routine, outcome, alone)
      }
      // A sweep leaves thousands of schedules and samples behind. On a machine with much memory the
      // collector, left to itself, lets several hundred MB of them pile up.
      Bun.gc(false)
      if (pauseS > 0) await clock.sleep(pauseS * 1_000, signal)
    }
  }

  #outcomesOf(routine: Routine, targets: readonly string[]): Promise<NodeOutcome[]> {
    const { runner, measure } = this.#input
    if (!measure) return runNode(routine, targets, runner)
    return measure(routine, targets, ({ target, finding }) => {
      const values = runner.values.copy()
      for (const [path, { value }] of Object.entries(finding?.parameters ?? {}))
        if (this.#isUsed(routine, target, path, value)) values.set(target, path, value)
      assume(values, target, finding)
      return values
    })
  }

  /** Measures the qubits beside couplers again that have just been parked. */
  async #refineBeside(at: number, parked: readonly { edge: string; hasMoved: boolean }[]): Promise<void> {
    const { chip, afterParking = { always: [] } } = this.#input
    const endsOf = (edges: typeof parked) => [
      ...new Set(edges.flatMap(({ edge }) => qubitsOf(edge, chip.edges))),
    ]
    const ends = endsOf(parked)
    for (const { routine, otherwise } of afterParking.always) {
      const unclear = await this.#unclearOf(at, routine, this.#readyFor(at, routine, ends))
      const stale = otherwise ? await this.#unclearOf(at, otherwise, unclear.keys().toArray()) : unclear
      for (const [target, reason] of unclear) {
        const remark = stale.has(target)
          ? `not corrected for the parked coupler: ${reason}`
          : `no clear result beside the parked coupler, the value is that of ${otherwise?.name}: ${reason}`
        this.#notes.push(`${target} ${routine.name}: ${remark}`)
      }
    }
    for (const routine of afterParking.ifStale ?? [])
      await this.#measure(at, routine, await this.#staleFor(routine, this.#readyFor(at, routine, ends)))
    const shifted = endsOf(parked.filter(({ hasMoved }) => hasMoved))
    for (const routine of afterParking.ifMoved ?? []) {
      const unclear = await this.#unclearOf(at, routine, this.#readyFor(at, routine, shifted))
      for (const [target, reason] of unclear)
        this.#notes.push(`${target} ${routine.name}: as of before the coupler was parked: ${reason}`)
    }
  }

  /** The qubits on which a routine can run and does not run later in the plan anyway. */
  #readyFor(at: number, routine: Routine, qubits: readonly string[]): string[] {
    const hasAll = (qubit: string) => missingFor(routine, qubit, this.#input.chip) === undefined
    const later = this.#input.plan.nodes.slice(at + 1).filter((node) => node.routine.name === routine.name)
    const isToCome = (qubit: string) => later.some(({ targets }) => targets.includes(qubit))
    return qubits.filter(
      (qubit) => hasAll(qubit) && !isToCome(qubit) && !this.#blocking.culpritOf(routine, qubit),
    )
  }

  /** The targets on which the check of a routine is out. */
  async #staleFor(routine: Routine, targets: readonly string[]): Promise<string[]> {
    const nodes = targets.map((target) => ({ routine, target }))
    const checks = await runChecks(nodes, this.#input.runner, () => undefined)
    return targets.filter((target) => checks.get(keyOf(routine.name, target))?.state === 'out')
  }

  /** Measures targets, and returns those without a clear result with the reasons. */
  async #unclearOf(at: number, routine: Routine, targets: readonly string[]): Promise<Map<string, string>> {
    const done = this.#results.length
    await this.#measure(at, routine, targets)
    return new Map(
      this.#results
        .slice(done)
        .filter(({ isUnresolved, outcome }) => isUnresolved || outcome.error)
        .map(({ target, outcome }) => [target, outcome.error?.message ?? 'no clear result']),
    )
  }

  /** Whether a target on which the routine runs only if its inputs moved has to run. */
  #isConcerned(at: number, routine: Routine, target: string): boolean {
    if (this.#moved.concern(routine, target) || this.#units.isAwaited(routine, target)) return true
    this.#skip(at, routine, target, 'not_planned', 'nothing that it reads has moved')
    return false
  }

  #isBlocked(at: number, routine: Routine, target: string): boolean {
    const culprit = this.#blocking.culpritOf(routine, target)
    if (!culprit) return false
    this.#blocking.failed(routine, target, culprit)
    if (culprit.declined === undefined) this.#units.failed(routine, target)
    if (culprit.declined !== undefined) this.#skip(at, routine, target, 'declined', culprit.declined)
    else this.#skip(at, routine, target, 'blocked', `${culprit.target} ${culprit.routine}`)
    return true
  }

  #skip(at: number, routine: Routine, target: string, reason: SkippedNode['reason'], detail: string): void {
    this.#skipped.push({ routine: routine.name, target, reason, detail })
    this.#input.onEvent({ kind: 'end', at, routine, target, outcome: reason })
  }

  /** Takes an outcome over: its values are used from here on. */
  async #take(at: number, routine: Routine, outcome: NodeOutcome, alone?: NodeOutcome): Promise<void> {
    const { target, error, finding } = outcome
    if (error?.code === 'declined') {
      this.#blocking.failed(routine, target, { routine: routine.name, target, declined: error.message })
      this.#skip(at, routine, target, 'declined', error.message)
      return
    }
    const isKept = routine.refiner && error?.code === 'unresolved'
    const isUnresolved = isKept || (!error && finding?.unresolved === true)
    const parameters = error || !finding ? {} : this.#apply(routine, target, finding.parameters, isUnresolved)
    assume(this.#input.runner.values, target, finding)
    this.#results.push({ routine, target, outcome, isUnresolved, parameters, alone })
    for (const note of [...(finding?.notes ?? []), ...outcome.remarks])
      this.#notes.push(`${target} ${routine.name}: ${note}`)
    if (outcome.hasLeftConfig) {
      const text = 'the sweep of calibration.yml failed; the derived one found the value'
      this.#notes.push(`${target} ${routine.name}: ${text}`)
    }
    const ended = error && !isKept ? 'failed' : isUnresolved ? 'unresolved' : 'success'
    if (ended === 'failed') this.#blocking.failed(routine, target)
    this.#units.ended(routine, target, ended, parameters)
    const trace = finding?.trace ?? error?.trace
    this.#input.onEvent({ kind: 'end', at, routine, target, outcome: ended, trace })
    await this.#parkIfFound(at, routine, target, parameters[PARKING_PATH])
  }

  #apply(
    routine: Routine,
    target: string,
    found: Readonly<Record<string, FoundValue>> = {},
    isUnresolved: boolean,
  ): Record<string, FoundParameter> {
    const { runner } = this.#input
    const parameters: Record<string, FoundParameter> = {}
    for (const [path, value] of Object.entries(found)) {
      const isApplied = !isUnresolved && this.#isUsed(routine, target, path, value.value)
      const previous = runner.values.get(target, path)
      parameters[path] = { ...value, previous, isApplied }
      if (!isApplied) continue
      if (hasMoved(value, previous)) this.#moved.add(target, path)
      runner.values.set(target, path, value.value)
    }
    if (!isUnresolved) this.#blocking.found(target, Object.keys(found))
    return parameters
  }

  /** Whether the run uses a value that a routine found from there on. */
  #isUsed(routine: Routine, target: string, path: string, value: FoundNumber): boolean {
    const { chip, isPinned } = this.#input
    const isWritable = routine.writes.includes(path) || chip.has(target, path)
    return isWritable && !isPinned(target, path) && isFiniteValue(value)
  }

  /** The gates of an edge are measured at the current that was just found for its coupler. */
  async #parkIfFound(
    at: number,
    routine: Routine,
    target: string,
    current: FoundParameter | undefined,
  ): Promise<void> {
    const { parks = true } = this.#input
    if (!parks || !current?.isApplied || typeof current.value !== 'number') return
    this.#input.onEvent({ kind: 'park', at, routine, target })
    this.#notes.push(await this.#input.runner.currents.park(target, current.value))
    this.#parked.push({ edge: target, hasMoved: hasMoved(current, current.previous) })
  }
}

/** What a finding lets the rest of the run assume, which is no value of the element. */
function assume(values: RunValues, target: string, finding: Finding | undefined): void {
  for (const [path, value] of Object.entries(finding?.assumed ?? {})) values.assume(target, path, value)
}

/** A result of which some values are not used after all. */
export function withoutUse(result: NodeResult, restored: readonly string[]): NodeResult {
  const parameters = Object.entries(result.parameters).map(([path, parameter]) => [
    path,
    restored.includes(path) ? { ...parameter, isApplied: false } : parameter,
  ])
  return { ...result, parameters: Object.fromEntries(parameters) }
}

function isFiniteValue(value: FoundNumber): boolean {
  return typeof value === 'number'
    ? Number.isFinite(value)
    : value.every((each) => (typeof each === 'number' ? Number.isFinite(each) : isFiniteValue(each)))
}
