import { CalibrationError } from '../../errors.ts'
import type { CheckOutcome, Routine } from '../routine.ts'
import { blame, type CheckedNode } from './blame.ts'
import { type ChipElements, qubitsOf } from './chip-elements.ts'
import { reachable } from './graph.ts'
import { type Instance, type Instances, instancesOf, keyOf, type SkippedNode } from './instances.ts'

/** Routines of a fidelity check: what these find is compared with the values in force. */
const FIDELITY_ROUTINES: readonly string[] = [
  'ramsey_correction',
  't1',
  'two_state_discrimination',
  'readout_fidelity',
  'all_xy',
  'randomized_benchmarking',
  'cz_rb',
]

/** A routine and its targets in a run. */
export interface PlannedNode {
  readonly routine: Routine
  /** Targets on which it runs in any case. */
  readonly targets: readonly string[]
  /** Targets on which it runs if a value that it reads has moved. */
  readonly ifMoved: readonly string[]
}

/** What a run does, in order. */
export interface CalibrationPlan {
  readonly nodes: readonly PlannedNode[]
  readonly skipped: readonly SkippedNode[]
  /** Remarks for the report. */
  readonly notes: readonly string[]
  /** Checks whose value still holds; absent where none ran. */
  readonly passedChecks?: number
}

/** Everything that a plan follows from. */
export interface PlanInput {
  /** All routines, in the order of a run. */
  readonly routines: readonly Routine[]
  readonly chip: ChipElements
  /** Qubits and edges that `calibration.yml` names. */
  readonly qubits: readonly string[]
  readonly edges: readonly string[]
  isEnabled(routine: string): boolean
}

/** The plan of a full calibration: every enabled routine on all targets. */
export function planFull(input: PlanInput): CalibrationPlan {
  const instances = instancesOf(input)
  return planOf(input, instances, new Set(instances.byKey.keys()), new Set(), [])
}

/** The plan of one routine on some targets, also if it is disabled; a target may still decline it. */
export function planRoutine(input: PlanInput, routine: Routine, targets: readonly string[]): CalibrationPlan {
  const all = { qubits: targets, edges: targets, isEnabled: () => true }
  const chosen = { ...input, ...all, routines: [routine], isNamed: true }
  const instances = instancesOf(chosen)
  return planOf(chosen, instances, new Set(instances.byKey.keys()), new Set(), [])
}

/** The plan of a fidelity check: the benchmarks and what shows drift, on all targets or on the given ones. */
export function planFidelityCheck(input: PlanInput, targets: readonly string[] = []): CalibrationPlan {
  const { routines, chip } = input
  const isMeant = (name: string) =>
    targets.length === 0 ||
    targets.some((target) => qubitsOf(target, chip.edges).includes(name) || target === name)
  const chosen = {
    ...input,
    routines: routines.filter(({ name }) => FIDELITY_ROUTINES.includes(name)),
    qubits: input.qubits.filter(isMeant),
    edges: input.edges.filter(isMeant),
  }
  const instances = instancesOf(chosen)
  return planOf(chosen, instances, new Set(instances.byKey.keys()), new Set(), [])
}

/** Where a partial calibration looks. */
interface PartialScope {
  readonly instances: Instances
  /** Keys of the nodes of the named targets; the others belong to the far ends of their edges. */
  readonly own: ReadonlySet<string>
  /** Nodes whose check runs first. */
  readonly checked: readonly Instance[]
  /** What is checked beside the named targets; undefined when nothing is. */
  readonly note: string | undefined
}

/**
 * The nodes that a partial calibration considers: those of the named qubits and edges, of all edges of these
 * qubits, and of the far ends of all these edges.
 * @throws CalibrationError without targets or for one that is not calibrated.
 */
export function scopeOfPartial(input: PlanInput, named: readonly string[]): PartialScope {
  const { chip } = input
  if (named.length === 0) throw new CalibrationError('a partial calibration needs target_qubits')
  const unknown = named.filter((name) => !input.qubits.includes(name) && !input.edges.includes(name))
  if (unknown.length > 0) {
    throw new CalibrationError(`target_qubits names ${unknown.join(', ')}, which is not calibrated here`)
  }
  const edges = input.edges.filter(
    (edge) => named.includes(edge) || qubitsOf(edge, chip.edges).some((end) => named.includes(end)),
  )
  const ends = edges.flatMap((edge) => qubitsOf(edge, chip.edges))
  const isQubitNear = (qubit: string) => named.includes(qubit) || ends.includes(qubit)
  const qubits = input.qubits.filter(isQubitNear)
  const instances = instancesOf({ ...input, qubits, edges })
  const isOwn = ({ target }: Instance) => named.includes(target) || edges.includes(target)
  const entries = [...instances.byKey]
  return {
    instances,
    own: new Set(entries.filter(([, instance]) => isOwn(instance)).map(([key]) => key)),
    checked: entries.map(([, instance]) => instance).filter(({ routine }) => routine.check !== undefined),
    note: noteOnScope(named, { edges, qubits }),
  }
}

/** Names that a note contains. */
const MAX_NAMED = 20

/** What a partial calibration checks because the gates of its targets need it. */
function noteOnScope(
  named: readonly string[],
  { edges, qubits }: { edges: readonly string[]; qubits: readonly string[] },
): string | undefined {
  const others = [...qubits, ...edges].filter((name) => !named.includes(name))
  if (others.length === 0) return undefined
  const shown = (names: readonly string[]) =>
    names.length > MAX_NAMED ? `${names.slice(0, MAX_NAMED).join(', ')}, …` : names.join(', ')
  return `checked and calibrated with ${shown(named)}, because its gates need them: ${shown(others)}`
}

/** What is known of a node after its check; `unknown` without one, or when it could not decide. */
export type CheckResult = CheckOutcome | { readonly state: 'unknown'; readonly reason?: string }

/** What is on record of the value at a path of an element: `changed` by hand since it was measured. */
export type RecordOf = (element: string, path: string) => 'measured' | 'changed' | 'none'

/**
 * The plan of a partial calibration: the blamed nodes, the other nodes whose check failed, those of the named
 * targets whose values were changed by hand, and of all that comes after what reads a value that moved. When
 * there are none, the nodes of the named targets that were never measured; when there are none, nothing.
 * @param checks by key
 */
export function planPartial(
  input: PlanInput,
  { instances, own, note }: PartialScope,
  checks: ReadonlyMap<string, CheckResult>,
  recordOf: RecordOf,
): CalibrationPlan {
  const nodes = new Map<string, CheckedNode>(
    [...instances.byKey.keys()].map((key) => [
      key,
      { state: checks.get(key)?.state ?? 'unknown', parents: instances.parentsOf(key) },
    ]),
  )
  const blamed = blame(nodes)
  const out = [...nodes].filter(([, { state }]) => state === 'out').map(([key]) => key)
  const notes = [...(note === undefined ? [] : [note]), ...notesOf(checks, blamed)]
  const ownKeys = (isMeant: (instance: Instance) => boolean) =>
    [...instances.byKey].flatMap(([key, instance]) => (own.has(key) && isMeant(instance) ? [key] : []))
  const changed = ownKeys(({ routine, target }) =>
    [...routine.writes, ...routine.optionalWrites].some((path) => recordOf(target, path) === 'changed'),
  )
  if (out.length > 0) {
    const after = reachable([...blamed, ...changed], instances.childrenOf)
    return planOf(input, instances, new Set([...out, ...changed]), after, notes)
  }
  const unmeasured = ownKeys(({ routine, target }) =>
    placesOf(routine, target, input.chip).some((path) => recordOf(target, path) === 'none'),
  )
  const keys = new Set([...changed, ...unmeasured])
  const passedChecks = [...checks.values()].filter(({ state }) => state === 'in').length
  notes.push(noteOnPassed(passedChecks, checks.size - passedChecks, keys.size > 0))
  return { ...planOf(input, instances, keys, reachable(keys, instances.childrenOf), notes), passedChecks }
}

/** Where an element has what a routine finds: a file with `rxy.beta` has no `rxy.motzoi`. */
function placesOf({ writes, optionalWrites }: Routine, target: string, chip: ChipElements): string[] {
  if (writes.length === 0) return []
  const [own, other] = [writes, optionalWrites].map((paths) => paths.filter((path) => chip.has(target, path)))
  return own?.length ? own : (other ?? [])
}

/** What a partial calibration without a stale value does. */
function noteOnPassed(passed: number, undecided: number, hasUnmeasured: boolean): string {
  if (hasUnmeasured) return 'no check was out; only values that were never measured are calibrated'
  if (passed === 0) return 'nothing was calibrated: no check could tell whether a value is stale'
  const checks = passed === 1 ? '1 check' : `${passed} checks`
  return `nothing was stale: ${checks} in${undecided > 0 ? `, ${undecided} could not decide` : ''}`
}

/** One line per check that failed, the worst target first, and one per check that could not decide. */
function notesOf(checks: ReadonlyMap<string, CheckResult>, blamed: ReadonlySet<string>): string[] {
  const byMargin = [...checks].flatMap(([key, result]) =>
    result.state === 'out' ? [{ key, margin: result.margin }] : [],
  )
  byMargin.sort((one, other) => other.margin - one.margin)
  const failed = byMargin.map(({ key, margin }) => {
    const [routine = '', target = ''] = key.split(' ')
    const cause = blamed.has(key) ? '' : ', explained by what comes before it'
    return `${target}: check of ${routine} out by ${margin.toPrecision(3)} times its limit${cause}`
  })
  const undecided = [...checks].flatMap(([key, result]) => {
    if (result.state !== 'unknown' || result.reason === undefined) return []
    const [routine = '', target = ''] = key.split(' ')
    return [`${target}: check of ${routine} could not decide: ${result.reason}`]
  })
  return [...failed, ...undecided]
}

function planOf(
  { routines }: PlanInput,
  instances: Instances,
  run: ReadonlySet<string>,
  ifMoved: ReadonlySet<string>,
  notes: readonly string[],
): CalibrationPlan {
  const keys = [...instances.byKey]
  const unplanned = keys
    .filter(([key]) => !run.has(key) && !ifMoved.has(key))
    .map(([, { routine, target }]) => ({
      routine: routine.name,
      target,
      reason: 'not_planned' as const,
      detail: '',
    }))
  const nodes = routines.flatMap((routine) => {
    const targets = keys.filter(([, each]) => each.routine === routine).map(([, { target }]) => target)
    const inSet = (set: ReadonlySet<string>) =>
      targets.filter((target) => set.has(keyOf(routine.name, target)))
    const always = inSet(run)
    const moved = inSet(ifMoved).filter((target) => !always.includes(target))
    return always.length + moved.length > 0 ? [{ routine, targets: always, ifMoved: moved }] : []
  })
  return { nodes, skipped: [...instances.skipped, ...unplanned], notes }
}
