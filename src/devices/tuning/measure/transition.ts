import type { DriveOverrides, ScheduleBuilder, SpectroscopyPulse } from '../../pulse/builder.ts'
import type { Schedule } from '../../pulse/schedule.ts'
import type { RoutineContext } from '../routine.ts'

/** Two neighboring states of a qubit, and where the device file has the pulse that exchanges them. */
export interface Transition {
  /** Its lower state. */
  readonly from: 0 | 1
  /** Path of the frequency, Hz. */
  readonly frequency: string
  /** Path of the amplitude of half a turn. */
  readonly amp180: string
}

export const TRANSITION_01: Transition = { from: 0, frequency: 'clock_freqs.f01', amp180: 'rxy.amp180' }
export const TRANSITION_12: Transition = { from: 1, frequency: 'clock_freqs.f12', amp180: 'r12.ef_amp180' }

/**
 * A schedule on one transition of a qubit. It starts in the lower state, and before the readout it maps the
 * lower state back to 0: the upper one stays where it is and is distinguished from 0 more clearly than from
 * 1.
 */
export class TransitionSchedule {
  readonly #qubit: string
  readonly #transition: Transition
  readonly #schedule: ScheduleBuilder

  constructor(context: RoutineContext, transition: Transition) {
    this.#qubit = context.self.name
    this.#transition = transition
    this.#schedule = context.schedule()
    this.#mapLower()
  }

  /** Rotates between both states by `theta` about the axis at `phi`, rad. */
  turn(theta: number, phi = 0, overrides: DriveOverrides = {}): this {
    const { from } = this.#transition
    if (from === 0) this.#schedule.rotate(this.#qubit, theta, phi, overrides)
    else this.#schedule.rotate12(this.#qubit, theta, phi, overrides)
    return this
  }

  /** A long weak pulse of one frequency. */
  tone(pulse: SpectroscopyPulse): this {
    this.#schedule.tone(this.#qubit, pulse)
    return this
  }

  /** Waits, s. */
  wait(seconds: number): this {
    this.#schedule.delay(this.#qubit, seconds)
    return this
  }

  /** Reads the qubit out, which ends the schedule. */
  read(): Schedule {
    this.#mapLower()
    return this.#schedule.measure(this.#qubit).build()
  }

  /** Exchanges state 0 and the lower one, where they differ. */
  #mapLower(): void {
    if (this.#transition.from === 1) this.#schedule.rotate(this.#qubit, Math.PI)
  }
}
