import type { Clock } from '../../../base/index.ts'
import type { CalibrationStep } from '../../../protocol/index.ts'
import type { LineTrace } from '../../fitting/fit.ts'
import { estimateNode, type PlanTimes } from '../plan/estimate.ts'
import type { Instance } from '../plan/instances.ts'
import type { CalibrationPlan } from '../plan/planner.ts'
import { reportLine } from '../report/limits.ts'
import type { WalkEvent } from '../walk/walk.ts'

/** Routines and targets that one step may name. */
const MAX_PLAN = 100
const MAX_TARGETS = 1_000

/** Turns what happens in a run into steps of its progress. */
export class RunSteps {
  readonly #clock: Clock
  readonly #send: (step: CalibrationStep) => void
  readonly #startedAt: number
  #total = 0
  readonly #counts = { ok: 0, failed: 0, skipped: 0 }

  constructor(clock: Clock, send: (step: CalibrationStep) => void) {
    this.#clock = clock
    this.#send = send
    this.#startedAt = clock.monotonic()
  }

  /** The nodes of the run, each with the expected duration on all its targets. */
  plan({ nodes }: CalibrationPlan, times: PlanTimes): void {
    this.#total = nodes.length
    const plan = nodes.slice(0, MAX_PLAN).map(({ routine, targets, ifMoved }) => {
      const all = [...targets, ...ifMoved]
      return {
        routine: routine.name,
        depends_on: [...routine.dependsOn],
        targets: all.slice(0, MAX_TARGETS),
        planned: targets.length > 0,
        has_check: routine.check !== undefined,
        estimate_s: Math.round(times.group(all, routine).length * estimateNode(routine, times)),
      }
    })
    this.#send({ phase: 'plan', step: 0, total: this.#total, plan, elapsed_s: this.#elapsedS() })
  }

  /** A check begins. */
  check({ routine, target }: Instance, at: number, total: number): void {
    this.#send({
      phase: 'check',
      step: at + 1,
      total,
      routine: routine.name,
      target,
      running: [target],
      elapsed_s: this.#elapsedS(),
    })
  }

  /** All nodes have run, and what they found is checked once more, on this target. */
  verify({
    routine,
    target,
  }: Pick<Instance, 'target'> & { readonly routine: { readonly name: string } }): void {
    const [step, total] = [this.#total, this.#total]
    const running = [target]
    this.#send({ phase: 'verifying', step, total, routine: routine.name, target, running, ...this.#sums() })
  }

  take(event: WalkEvent): void {
    const { routine, at } = event
    const base = { step: at + 1, total: this.#total, routine: routine.name }
    const phase = routine.isBenchmark ? 'benchmark' : 'routine'
    if (event.kind === 'begin') {
      this.#send({ ...base, phase, running: [...event.targets].slice(0, MAX_TARGETS), ...this.#sums() })
      return
    }
    const { target } = event
    if (event.kind === 'park') {
      this.#send({ ...base, phase: 'write', target, ...this.#sums() })
      return
    }
    const { outcome, trace } = event
    if (outcome === 'success' || outcome === 'unresolved') this.#counts.ok += 1
    else if (outcome === 'failed') this.#counts.failed += 1
    else this.#counts.skipped += 1
    this.#send({
      ...base,
      phase,
      target,
      outcome,
      ...this.#sums(),
      ...(trace?.kind === 'line' && { trace: stepTraceOf(routine.name, target, trace) }),
    })
  }

  /** The device file is written. */
  written(): void {
    this.#send({ phase: 'write', step: this.#total, total: this.#total, ...this.#sums() })
  }

  #sums() {
    return { ...this.#counts, elapsed_s: this.#elapsedS() }
  }

  #elapsedS(): number {
    return Math.round(this.#clock.monotonic() - this.#startedAt) / 1_000
  }
}

/** A trace for people who watch the run; the report has it with its figures. */
function stepTraceOf(routine: string, target: string, trace: LineTrace): CalibrationStep['trace'] {
  const { kind, model, x, y, y_name, y_unit, curve } = reportLine(trace)
  return { routine, target, kind, model, x, y, y_name, y_unit, ...(curve && { curve }) }
}
