import { type CellState, type RunProgress, stateOfOutcome } from './read-progress.ts'

/** How the routines of one target ended so far. */
export interface TargetResults {
  target: string
  /** Routines with a recorded outcome. */
  ended: number
  /** Routines that the plan has for it; undefined without a plan. */
  planned: number | undefined
  done: number
  blocked: number
  failed: readonly string[]
  unresolved: readonly string[]
}

const names = new Intl.Collator('en', { numeric: true })

/** The outcomes of a run by target: those with a failure first, then the unresolved ones, then by name. */
export function resultsByTarget({ outcomes, plan }: RunProgress): TargetResults[] {
  const states = new Map<string, { routine: string; state: CellState }[]>()
  for (const [routine, targets] of outcomes) {
    for (const [target, outcome] of targets) {
      const own = states.get(target) ?? []
      own.push({ routine, state: stateOfOutcome(outcome) })
      states.set(target, own)
    }
  }
  const found = [...states].map(([target, own]) => {
    const inState = (wanted: CellState) =>
      own.filter(({ state }) => state === wanted).map(({ routine }) => routine)
    const planned = plan.filter(({ targets }) => targets.includes(target)).length
    return {
      target,
      ended: own.length,
      planned: planned || undefined,
      done: inState('done').length,
      blocked: inState('blocked').length,
      failed: inState('failed'),
      unresolved: inState('unresolved'),
    }
  })
  return found.sort(
    (one, other) =>
      other.failed.length - one.failed.length ||
      other.unresolved.length - one.unresolved.length ||
      names.compare(one.target, other.target),
  )
}
