import { isObject } from '../../../base/index.ts'

/** Outcomes kept of one run: 33 routines on 25 qubits and 40 edges have about 1,000. */
const MAX_OUTCOMES = 5_000

type Outcomes = Record<string, Record<string, string>>

/**
 * The progress of a run after a step: the step itself, the plan of an earlier one, and the outcome of every
 * routine on every target so far.
 */
export function collectProgress(
  before: unknown,
  { ended, ...step }: Record<string, unknown>,
): Record<string, unknown> {
  const { plan, trace, outcomes } = (isObject(before) ? before : {}) as {
    plan?: unknown
    trace?: unknown
    outcomes?: Outcomes
  }
  const latest = [...(Array.isArray(ended) ? ended : []), step].filter(isOutcome)
  const collected = latest.length > 0 ? withOutcomes(outcomes, latest) : outcomes
  const kept = { ...(plan === undefined ? {} : { plan }), ...(trace === undefined ? {} : { trace }) }
  return { ...kept, ...step, ...(collected && { outcomes: collected }) }
}

interface Outcome {
  routine: string
  target: string
  outcome: string
}

/** In maps, because the names come from a tuner: one such as __proto__ must become a key like any other. */
function withOutcomes(before: Outcomes | undefined, latest: readonly Outcome[]): Outcomes {
  const collected = new Map(
    Object.entries(before ?? {}).map(([routine, targets]) => [routine, new Map(Object.entries(targets))]),
  )
  let count = 0
  for (const targets of collected.values()) count += targets.size
  for (const { routine, target, outcome } of latest) {
    const targets = collected.get(routine) ?? new Map<string, string>()
    if (!targets.has(target) && ++count > MAX_OUTCOMES) break
    collected.set(routine, targets.set(target, outcome))
  }
  return Object.fromEntries(
    Array.from(collected, ([routine, targets]) => [routine, Object.fromEntries(targets)]),
  )
}

function isOutcome(value: unknown): value is Outcome {
  if (!isObject(value)) return false
  const { routine, target, outcome } = value as Partial<Record<keyof Outcome, unknown>>
  return [routine, target, outcome].every((each) => typeof each === 'string')
}
