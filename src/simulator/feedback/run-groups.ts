import { FIRST_OUTCOME, type Op, type OpenChoice, type OpenSink } from '../../qasm/index.ts'
import type { Workload } from '../define-method.ts'
import { shotNumbers } from '../numeric/shot-numbers.ts'
import type { TimeBudget } from '../timing/time-budget.ts'

/** Shots that have taken the same way through a program with feedback so far, and their state. */
export interface ShotGroup {
  /** Number of its shots. */
  readonly size: number
  /**
   * Executes a step.
   * @throws Divided when shots differ in an outcome that has to be known before; each part executes the step.
   */
  apply(op: Op): void
  /** Executes measurement `index` of the program; undefined when the outcome is left open. */
  measure(qubit: number, index: number): 0 | 1 | undefined
  /** The outcome of an earlier measurement; undefined when it is open. */
  outcomeOf(index: number): 0 | 1 | undefined
  /**
   * Executes one of two branches by outcomes that may be open; absent where shots have to divide first.
   * @throws Divided when shots differ in the branch, before they execute any of its steps.
   */
  choose?(choice: OpenChoice): void
  /** Groups of shots with equal outcomes of all measurements so far, none of them open. */
  divided(): ShotGroup[]
  /** Tallies the shots; the states of the classical bits are those of `runOpen`. */
  record(states: Int32Array): void | Promise<void>
}

/** Shots of a group differ in an outcome that the next step depends on. */
export class Divided extends Error {
  override readonly name = 'Divided'
  readonly groups: readonly ShotGroup[]

  constructor(groups: readonly ShotGroup[]) {
    super('shots differ')
    this.groups = groups
  }
}

/** The index of the measurement whose open outcome a bit in this state has; undefined for 0 and 1. */
export function outcomeIn(state: number): number | undefined {
  return state < FIRST_OUTCOME ? undefined : state - FIRST_OUTCOME
}

/**
 * How far a group has executed its program: the number of calls of the walk, which does not depend on what is
 * open, and the steps of the next call that it has executed.
 */
interface Position {
  calls: number
  steps: number
}

/** A group and its position in the program. */
interface Place {
  group: ShotGroup
  done: Position
}

/** Work of walking a group besides its steps, in amplitude updates. */
const WALK_WORK = 50_000

/** What the groups need of a workload. */
type GroupWorkload = Pick<Workload, 'shots' | 'noise' | 'walkOpen'>

/** Shots that begin together: it bounds the memory for their outcomes. */
const MAX_GROUP_SHOTS = 2 ** 14

/**
 * Runs a program with feedback on groups of shots. Outcomes stay open until they decide what happens next;
 * then the shots divide by them, and each part walks the program again, past the steps that it has executed.
 * `start` creates a group at the beginning of the program; with noise of gates each has one shot.
 */
export async function runGroups(
  workload: GroupWorkload,
  timeBudget: TimeBudget,
  start: (shots: Uint32Array) => ShotGroup,
): Promise<void> {
  const shots = shotNumbers(workload.shots)
  const together = workload.noise?.channelsAfter ? 1 : MAX_GROUP_SHOTS
  for (let first = 0; first < shots.length; first += together) {
    const group = start(shots.subarray(first, first + together))
    await runAll({ group, done: { calls: 0, steps: 0 } }, workload, timeBudget)
  }
}

/** Runs a group and all parts into which it divides. */
async function runAll(first: Place, workload: GroupWorkload, timeBudget: TimeBudget): Promise<void> {
  const waiting = [first]
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    const walk = new GroupWalk(place)
    const end = walk.run(workload)
    if (end instanceof Int32Array) await place.group.record(end)
    else {
      // The largest part last: the others end before it, so that few states wait at a time.
      const parts = end.toSorted((one, other) => other.size - one.size)
      for (const part of parts) waiting.push({ group: part, done: walk.position })
    }
    timeBudget.spend(WALK_WORK)
    await timeBudget.yieldIfDue()
  }
}

/** One walk of a group through the program. */
class GroupWalk implements OpenSink {
  readonly #place: Place
  readonly choose?: (choice: OpenChoice) => void
  #measurements = 0
  /** Whether an outcome was open when the program measured it. */
  #leftOpen = false
  #calls = 0
  /** Steps of the current call that are executed. */
  #steps = 0

  constructor(place: Place) {
    this.#place = place
    if (place.group.choose) this.choose = (choice) => this.#choose(choice)
  }

  /** What is executed so far, by this walk or an earlier one. */
  get position(): Position {
    return { calls: this.#calls, steps: this.#steps }
  }

  /** The states of the classical bits at the end, or the parts into which the group divides. */
  run(workload: GroupWorkload): Int32Array | readonly ShotGroup[] {
    try {
      const states = workload.walkOpen(this)
      if (states) return states
      if (!this.#leftOpen) throw new TypeError('a value of the program is undetermined')
      // A step may have closed the outcome without dividing the group: then the group walks once more.
      return this.#place.group.divided()
    } catch (error) {
      if (error instanceof Divided) return error.groups
      throw error
    }
  }

  apply(op: Op): void {
    this.#execute(op)
    this.#endCall()
  }

  measure(qubit: number): 0 | 1 | undefined {
    const { group } = this.#place
    const index = this.#measurements++
    const outcome = this.#isAhead ? group.measure(qubit, index) : group.outcomeOf(index)
    this.#endCall()
    this.#leftOpen ||= outcome === undefined
    return outcome
  }

  #choose(choice: OpenChoice): void {
    if (choice.outcomes.length === 0)
      for (const op of choice.isTrue[0] ? choice.steps : choice.otherwise) this.#execute(op)
    else if (this.#isAhead) this.#place.group.choose?.(choice)
    this.#endCall()
  }

  /** Whether the next step is not executed yet. */
  get #isAhead(): boolean {
    const { calls, steps } = this.#place.done
    return this.#calls > calls || (this.#calls === calls && this.#steps >= steps)
  }

  #execute(op: Op): void {
    if (this.#isAhead) this.#place.group.apply(op)
    this.#steps++
  }

  #endCall(): void {
    this.#calls++
    this.#steps = 0
  }
}
