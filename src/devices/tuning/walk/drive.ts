import type { Acquisitions } from '../../bench/instrument.ts'
import { UnsetValueError } from '../../pulse/builder.ts'
import { ProgramError } from '../../pulse/check-program.ts'
import type { Program } from '../../pulse/schedule.ts'
import { type HeldCurrent, type Measurement, RoutineError, type Step, type StepReply } from '../routine.ts'
import { fusePrograms, splitAcquisitions } from './fuse.ts'

/** What carries out the steps of measurements. */
interface StepRunner {
  /** @throws ProgramError for a program that cannot be played; any other error ends the run. */
  run(program: Program): Promise<Acquisitions>
  current(edge: string): Promise<HeldCurrent>
  ramp(edge: string, amps: number): Promise<void>
  /** @throws RoutineError when the work fails or takes too long. */
  wait(work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown>
}

/** How a measurement ended: with what it found, or with the error that it threw. */
export type Ended<Found> = { readonly found: Found } | { readonly error: unknown }

interface Running<Found> {
  readonly measurement: Measurement<Found>
  step: Step | undefined
  ended: Ended<Found> | undefined
}

/**
 * Carries out measurements side by side. Programs that they ask for at the same time run as one where that is
 * possible. A measurement that throws, or whose program cannot be played, ends alone.
 * @throws what the instrument throws, or the reason of `signal` when it aborts.
 */
export async function drive<Found>(
  measurements: readonly Measurement<Found>[],
  runner: StepRunner,
  signal: AbortSignal,
): Promise<Ended<Found>[]> {
  const all = measurements.map((measurement): Running<Found> => {
    const running: Running<Found> = { measurement, step: undefined, ended: undefined }
    advance(running, () => measurement.next({}))
    return running
  })
  try {
    for (;;) {
      const active = all.filter(({ ended }) => !ended)
      if (active.length === 0) break
      await letOthersRun()
      signal.throwIfAborted()
      // Programs wait for the analyses of the others, which may ask for one that runs with them.
      const others = active.filter(({ step }) => step?.kind !== 'acquire' || step.isAlone)
      for (const running of others) await carryOutAlone(running, runner)
      if (others.length === 0) await acquireAll(active, runner)
    }
  } finally {
    for (const { measurement, ended } of all) if (!ended) abandon(measurement)
  }
  return all.map(({ ended }) => ended ?? { error: new TypeError('the measurement did not end') })
}

/** Timers and messages of the process wait for this, also when an instrument replies immediately. */
function letOthersRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Lets the `finally` blocks of a measurement run; steps that they ask for are not carried out. */
function abandon(measurement: Measurement<unknown>): void {
  try {
    measurement.return(undefined)
  } catch {
    // The run already ends for another reason.
  }
}

function advance<Found>(running: Running<Found>, next: () => IteratorResult<Step, Found>): void {
  try {
    const { done, value } = next()
    if (done) running.ended = { found: value }
    else running.step = value
  } catch (error) {
    running.ended = { error: readable(error) }
  }
}

/** Errors of schedules that depend on values of the chip, as errors of the routine. */
function readable(error: unknown): unknown {
  if (error instanceof UnsetValueError) return new RoutineError('not_set', error.message)
  if (error instanceof ProgramError) return new RoutineError('not_playable', error.message)
  return error
}

/** Runs the programs that measurements ask for, together where that is possible. */
async function acquireAll<Found>(active: readonly Running<Found>[], runner: StepRunner): Promise<void> {
  const programs = active.flatMap(({ step }) => (step?.kind === 'acquire' ? [step.program] : []))
  const joined = programs.length > 1 ? fusePrograms(programs) : undefined
  const results = joined && (await tryRun(joined, runner))
  if (!results) {
    for (const running of active) await carryOutAlone(running, runner)
    return
  }
  const split = splitAcquisitions(programs, results)
  for (const [at, running] of active.entries()) {
    const acquisitions = split[at] ?? []
    // Each goes on with an analysis of its own.
    if (at > 0) await letOthersRun()
    advance(running, () => running.measurement.next({ acquisitions }))
  }
}

/** Undefined when the joined program cannot be played; the parts may be. */
async function tryRun(program: Program, runner: StepRunner): Promise<Acquisitions | undefined> {
  try {
    return await runner.run(program)
  } catch (error) {
    if (error instanceof ProgramError) return undefined
    throw error
  }
}

async function carryOutAlone<Found>(running: Running<Found>, runner: StepRunner): Promise<void> {
  const { step, measurement } = running
  if (!step) return
  let reply: StepReply
  try {
    reply = await replyTo(step, runner)
  } catch (error) {
    const cause = readable(error)
    if (!(cause instanceof RoutineError)) throw error
    advance(running, () => measurement.throw(cause))
    return
  }
  advance(running, () => measurement.next(reply))
}

async function replyTo(step: Step, runner: StepRunner): Promise<StepReply> {
  switch (step.kind) {
    case 'acquire':
      return { acquisitions: await runner.run(step.program) }
    case 'current':
      return { current: await runner.current(step.edge) }
    case 'ramp':
      await runner.ramp(step.edge, step.amps)
      return {}
    case 'wait':
      return { result: await runner.wait(step.work) }
    case 'pause':
      return {}
  }
}
