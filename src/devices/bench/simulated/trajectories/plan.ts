import { LEVELS } from '../dynamics/matrix.ts'
import type { Parting } from './compile.ts'
import { type Risk, Risks } from './jumps.ts'
import type { Operation } from './operations.ts'

/** An operation in its place. */
export interface Step {
  readonly operation: Operation | Parting
  /** The place of its first risk among those of the plan, and that behind its last one. */
  readonly from: number
  readonly end: number
  /** Transmons that get amplitudes before it, and those that nothing more acts on. */
  readonly joining: readonly number[]
  readonly leaving: readonly number[]
}

/** An order in which a shot is played. */
export interface Plan {
  readonly steps: readonly Step[]
  readonly risks: Risks
  /** Amplitudes that one shot moves, about. */
  readonly work: number
}

/** A step takes as long as this many amplitudes beside those that it moves. */
const STEP_WORK = 50

/** The order of time, with the amplitudes of all transmons in each step: many shots share them. */
export function widePlan(operations: readonly (Operation | Parting)[], transmons: number): Plan {
  const steps = numbered(operations, () => ({ joining: [], leaving: [] }))
  return { steps, risks: risksOf(operations), work: operations.length * LEVELS ** transmons }
}

/**
 * An order for one shot with few amplitudes. Operations on different transmons may change places, and a
 * transmon is read when nothing more acts on it, for its level is drawn with the same probability as at the
 * end: turns of phases do not change it. The transmon that needs least until then is read next.
 */
export function narrowPlan(operations: readonly (Operation | Parting)[], transmons: number): Plan {
  const touched = operations.map(touchedBy)
  const rest = new Set(operations.keys())
  const joined = new Set<number>()
  const order: number[] = []
  const actedOnBy = (some: Iterable<number>) => [...some].flatMap((at) => touched[at]?.acts ?? [])
  while (rest.size > 0) {
    const [next = []] = Array.from({ length: transmons }, (_, which) => neededFor(which, [...rest], touched))
      .filter((needed) => needed.length > 0)
      .map((needed) => ({ needed, size: new Set([...joined, ...actedOnBy(needed)]).size }))
      .sort((one, other) => workOf(one) - workOf(other))
      .map(({ needed }) => needed)
    for (const at of next) rest.delete(at)
    order.push(...next)
    for (const which of actedOnBy(next)) joined.add(which)
    const open = new Set(actedOnBy(rest))
    for (const which of joined) if (!open.has(which)) joined.delete(which)
  }
  return readEarly(order.map((at) => operations[at] as Operation | Parting))
}

const workOf = ({ needed, size }: { needed: readonly number[]; size: number }) =>
  needed.length * LEVELS ** size

/** Lets transmons join as late and leave as early as an order allows. */
function readEarly(operations: readonly (Operation | Parting)[]): Plan {
  const lasts = new Map(operations.flatMap((each, at) => touchedBy(each).acts.map((which) => [which, at])))
  const seen = new Set<number>()
  let size = 1
  let work = 0
  const steps = numbered(operations, (each, at) => {
    const { acts } = touchedBy(each)
    const joining = acts.filter((which) => !seen.has(which))
    const leaving = acts.filter((which) => lasts.get(which) === at)
    for (const which of joining) seen.add(which)
    size *= LEVELS ** joining.length
    work += size + STEP_WORK
    size /= LEVELS ** leaving.length
    return { joining, leaving }
  })
  return { steps, risks: risksOf(operations), work }
}

/** Transmons that an operation acts on, and those whose phases alone it turns. */
interface Touched {
  acts: readonly number[]
  turned: readonly number[]
}

function touchedBy(operation: Operation | Parting): Touched {
  if ('index' in operation) return { acts: [operation.which], turned: [] }
  const { acts, turns } = operation
  return { acts, turned: turns.flatMap(({ ends }) => ends.filter((end) => !acts.includes(end))) }
}

/** What has to happen before nothing more acts on a transmon, in the order of time; turns change places. */
function neededFor(which: number, rest: readonly number[], touched: readonly Touched[]): number[] {
  /** Transmons that something needed acts on, and those that it touches at all. */
  const [acted, met] = [new Set<number>(), new Set([which])]
  const needed: number[] = []
  for (const at of rest.toReversed()) {
    const { acts, turned } = touched[at] as Touched
    if (!acts.some((each) => met.has(each)) && !turned.some((each) => acted.has(each))) continue
    needed.push(at)
    for (const each of acts) acted.add(each)
    for (const each of [...acts, ...turned]) met.add(each)
  }
  return needed.reverse()
}

function numbered(
  operations: readonly (Operation | Parting)[],
  placed: (operation: Operation | Parting, at: number) => Pick<Step, 'joining' | 'leaving'>,
): Step[] {
  let from = 0
  return operations.map((operation, at) => {
    const end = from + ('index' in operation ? 0 : operation.risks.length)
    const step = { operation, from, end, ...placed(operation, at) }
    from = end
    return step
  })
}

function risksOf(operations: readonly (Operation | Parting)[]): Risks {
  return new Risks(operations.flatMap((each): readonly Risk[] => ('index' in each ? [] : each.risks)))
}
