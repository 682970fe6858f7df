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
   * @throws Divided when shots differ in an outcome that has to be known before.
   */
  apply(op: Op): void
  /** Executes measurement `index` of the program; undefined when the outcome is left open. */
  measure(qubit: number, index: number): 0 | 1 | undefined
  /** The outcome of an earlier measurement; undefined when it is open. */
  outcomeOf(index: number): 0 | 1 | undefined
  /**
   * Executes one of two branches by outcomes that may be open; absent where shots have to divide first.
   * @throws Divided when shots differ in the branch.
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

/** A group and the number of steps and measurements that it has executed. */
interface Place {
  group: ShotGroup
  done: number
}

/** Work of walking a group besides its steps, in amplitude updates. */
const WALK_WORK = 50_000

/** Shots that begin together: it bounds the memory for their outcomes. */
const MAX_GROUP_SHOTS = 2 ** 14

/**
 * Runs a program with feedback on groups of shots. Outcomes stay open until they decide what happens next;
 * then the shots divide by them, and each part walks the program again, past the steps that it has executed.
 * `start` creates a group at the beginning of the program; with noise of gates each has one shot.
 */
export async function runGroups(
  workload: Workload,
  timeBudget: TimeBudget,
  start: (shots: Uint32Array) => ShotGroup,
): Promise<void> {
  const shots = shotNumbers(workload.shots)
  const together = workload.noise?.channelsAfter ? 1 : MAX_GROUP_SHOTS
  for (let first = 0; first < shots.length; first += together) {
    const group = start(shots.subarray(first, first + together))
    await runAll({ group, done: 0 }, workload, timeBudget)
  }
}

/** Runs a group and all parts into which it divides. */
async function runAll(first: Place, workload: Workload, timeBudget: TimeBudget): Promise<void> {
  const waiting = [first]
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    const walk = new GroupWalk(place)
    const end = walk.run(workload)
    if (end instanceof Int32Array) await place.group.record(end)
    else {
      // The largest part last: the others end before it, so that few states wait at a time.
      const parts = end.toSorted((one, other) => other.size - one.size)
      for (const part of parts) waiting.push({ group: part, done: walk.executed })
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
  /** Number of steps and measurements so far, skipped ones included. */
  executed = 0

  constructor(place: Place) {
    this.#place = place
    const { group, done } = place
    if (!group.choose) return
    this.choose = (choice) => {
      if (this.executed >= done) group.choose?.(choice)
      this.executed++
    }
  }

  /** The states of the classical bits at the end, or the parts into which the group divides. */
  run(workload: Workload): Int32Array | readonly ShotGroup[] {
    const { group } = this.#place
    try {
      const states = workload.walkOpen(this)
      if (states) return states
      if (!this.#leftOpen) throw new TypeError('a value of the program is undetermined')
      // A step may have closed the outcome without dividing the group: then the group walks once more.
      return group.divided()
    } catch (error) {
      if (error instanceof Divided) return error.groups
      throw error
    }
  }

  apply(op: Op): void {
    if (this.executed >= this.#place.done) this.#place.group.apply(op)
    this.executed++
  }

  measure(qubit: number): 0 | 1 | undefined {
    const { group, done } = this.#place
    const index = this.#measurements++
    const outcome = this.executed >= done ? group.measure(qubit, index) : group.outcomeOf(index)
    this.executed++
    this.#leftOpen ||= outcome === undefined
    return outcome
  }
}
