import { STEPS_PER_HERTZ, STEPS_PER_TURN } from '../../../../src/devices/bench/sequencer/sequence.ts'

/** Settings of the two paths of an output and of its numerical oscillator, from a time on. */
export interface OutputState {
  /** Factor of the waveforms of either path, −1 to 1. */
  readonly gain: readonly [number, number]
  /** Added to either path, of full scale, −1 to 1. */
  readonly offset: readonly [number, number]
  /** Frequency of the oscillator, Hz. */
  readonly hz: number
  /** Phase of the oscillator at `since`, in turns, without the relative phase. */
  readonly turns: number
  /** When `turns` holds, ns. */
  readonly since: number
  /** Relative phase, in turns. */
  readonly phase: number
  readonly markers: number
  /** How often the phase of the oscillator was reset. */
  readonly resets: number
}

const INITIAL: OutputState = {
  gain: [1, 1],
  offset: [0, 0],
  hz: 0,
  turns: 0,
  since: 0,
  phase: 0,
  markers: 0,
  resets: 0,
}

/** Full scale of gains and offsets. */
const FULL_SCALE = 32_768

/** The settings of an output: what a program sets takes effect when the next instruction applies it. */
export class Output {
  #applied: OutputState
  #next: OutputState
  #resetsPhase = false

  /** @param initial what the settings of the sequencer give in place of the defaults */
  constructor(initial: Partial<OutputState> = {}) {
    this.#applied = { ...INITIAL, ...initial }
    this.#next = this.#applied
  }

  /** Takes a setting over; false for an instruction that sets nothing. */
  set(name: string, [a = 0, b = 0]: readonly number[]): boolean {
    const next = this.#next
    switch (name) {
      case 'set_awg_gain':
        this.#next = { ...next, gain: [signed(a) / FULL_SCALE, signed(b) / FULL_SCALE] }
        return true
      case 'set_awg_offs':
        this.#next = { ...next, offset: [signed(a) / FULL_SCALE, signed(b) / FULL_SCALE] }
        return true
      case 'set_freq':
        this.#next = { ...next, hz: signed(a) / STEPS_PER_HERTZ }
        return true
      case 'set_ph':
        this.#next = { ...next, phase: a / STEPS_PER_TURN }
        return true
      case 'set_ph_delta':
        this.#next = { ...next, phase: (next.phase + a / STEPS_PER_TURN) % 1 }
        return true
      case 'reset_ph':
        this.#next = { ...next, phase: 0 }
        this.#resetsPhase = true
        return true
      case 'set_mrk':
        this.#next = { ...next, markers: a }
        return true
      default:
        return false
    }
  }

  /** Lets all settings take effect at a time, ns; the phase of the oscillator runs on unless it is reset. */
  apply(t: number): OutputState {
    const { turns, since, hz } = this.#applied
    const reached = this.#resetsPhase ? 0 : turns + (hz * (t - since)) / 1e9
    const resets = this.#applied.resets + Number(this.#resetsPhase)
    this.#applied = { ...this.#next, turns: reached % 1, since: t, resets }
    this.#resetsPhase = false
    return this.#applied
  }
}

/** A register of 32 bits, or an immediate, as a signed number. */
function signed(value: number): number {
  return value | 0
}
