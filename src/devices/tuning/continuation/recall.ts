import { HOUR_MS } from '../../../base/index.ts'
import { type ChipElements, qubitsOf } from '../plan/chip-elements.ts'
import { keyOf } from '../plan/instances.ts'
import type { Routine, RoutineError } from '../routine.ts'
import { runChecks } from '../walk/checks.ts'
import { PARKING_PATH } from '../walk/run-currents.ts'
import { type NodeOutcome, type NodeRunner, runNode } from '../walk/run-node.ts'
import type { RunValues } from '../walk/run-values.ts'
import { stepKey } from './journaled-step.ts'
import type { FinishedSteps } from './step-journal.ts'

/** A step that is older is measured again: qubits drift. */
const MAX_STEP_HOURS = 12

/**
 * Measures the routines of a run, but for those that the run which it continues had finished: such an outcome
 * is taken as it was, unless it is a failure, while it is younger than 12 hours and the check of its routine
 * passes with its values. What found a value is measured again otherwise, and with it all that follows on its
 * target and beside it.
 */
export class Recall {
  readonly #finished: FinishedSteps
  readonly #chip: ChipElements
  readonly #runner: NodeRunner
  /** Steps that this run has not reached yet. */
  readonly #known: Map<string, NodeOutcome>
  /** How often a routine ran on a target. */
  readonly #occurrences = new Map<string, number>()
  readonly #counts = { taken: 0, repeated: 0 }

  constructor(finished: FinishedSteps, chip: ChipElements, runner: NodeRunner) {
    this.#finished = finished
    this.#chip = chip
    this.#runner = runner
    this.#known = new Map(finished.steps)
  }

  /** Measures a routine on a group of targets, as `walk` wants it. */
  readonly measure = async (
    routine: Routine,
    targets: readonly string[],
    valuesWith: (outcome: NodeOutcome) => RunValues,
  ): Promise<NodeOutcome[]> => {
    const outcomes = new Map<string, NodeOutcome>()
    const open: { target: string; occurrence: number; invalidates: string[] }[] = []
    for (const target of targets) {
      const occurrence = this.#count(routine, target)
      const key = stepKey(routine.name, target, occurrence)
      const known = this.#known.get(key)
      this.#known.delete(key)
      if (known && (await isValid(routine, known, this.#runner, valuesWith))) {
        outcomes.set(target, known)
        this.#counts.taken += 1
        continue
      }
      if (known) this.#counts.repeated += 1
      open.push({ target, occurrence, invalidates: routine.isBenchmark ? [] : this.#forgetBeside(target) })
    }
    const measured = await runNode(
      routine,
      open.map(({ target }) => target),
      this.#runner,
    )
    for (const [at, outcome] of measured.entries()) {
      outcomes.set(outcome.target, outcome)
      const { occurrence = 0, invalidates = [] } = open[at] ?? {}
      const step = { routine: routine.name, occurrence, outcome }
      this.#finished.journal.add({ ...step, ...(invalidates.length > 0 && { invalidates }) })
    }
    return targets.flatMap((target) => outcomes.get(target) ?? [])
  }

  /** For the report; empty for a run that continues none. */
  notes(request: string | undefined): string[] {
    if (request === undefined) return []
    const { taken, repeated } = this.#counts
    const why = 'failed, too old or their check not passed'
    const again = repeated === 0 ? '' : `; ${repeated} were measured again: ${why}`
    return [
      `continues request ${request}: ${taken} steps are as that run had finished them${again}`,
      ...this.#finished.remarks,
    ]
  }

  #count(routine: Routine, target: string): number {
    const key = keyOf(routine.name, target)
    const occurrence = (this.#occurrences.get(key) ?? 0) + 1
    this.#occurrences.set(key, occurrence)
    return occurrence
  }

  /** What follows on a target and on its neighbors used another value. Returns the keys of those steps. */
  #forgetBeside(target: string): string[] {
    const { edges } = this.#chip
    const qubits = new Set(qubitsOf(target, edges))
    const isBeside = (name: string) =>
      name === target || qubitsOf(name, edges).some((each) => qubits.has(each))
    const beside = [...this.#known].filter(([, outcome]) => isBeside(outcome.target)).map(([key]) => key)
    for (const key of beside) this.#known.delete(key)
    return beside
  }
}

/**
 * Whether a finished step need not be repeated. One without a check lasts its time. So does one that found
 * where to park a coupler, which is not there yet: the frequencies of its qubits, which were corrected then,
 * are checked next.
 */
async function isValid(
  routine: Routine,
  outcome: NodeOutcome,
  runner: NodeRunner,
  valuesWith: (outcome: NodeOutcome) => RunValues,
): Promise<boolean> {
  if (runner.clock.now() - outcome.startedAt > MAX_STEP_HOURS * HOUR_MS) return false
  if (outcome.error) return isRuling(routine, outcome.error)
  if (!routine.check || routine.writes.includes(PARKING_PATH)) return true
  const node = { routine, target: outcome.target }
  const checks = await runChecks([node], { ...runner, values: valuesWith(outcome) }, () => undefined)
  return checks.get(keyOf(routine.name, outcome.target))?.state === 'in'
}

/**
 * Whether an error says what holds for the target rather than that the measurement failed: it cannot have
 * what the routine calibrates, or its present value is as good.
 */
function isRuling(routine: Routine, { code }: RoutineError): boolean {
  return code === 'declined' || (routine.refiner && code === 'unresolved')
}
