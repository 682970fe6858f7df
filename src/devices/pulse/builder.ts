import { DURATION_IN_SIGMAS } from './envelope.ts'
import { amplitudeOf, wrapAngle } from './rotation.ts'
import type { Acquisition, Envelope, Pulse, Schedule } from './schedule.ts'

/** What the builder reads of the chip. */
export interface ElementValues {
  /** A number of an element by its path in the device file; undefined when absent or never measured. */
  number(element: string, path: string): number | undefined
  /** Both qubits of an edge, the parent first. */
  ends(edge: string): readonly [parent: string, child: string]
}

/** A value that a schedule needs and the device file does not have. */
export class UnsetValueError extends Error {
  override readonly name = 'UnsetValueError'
  readonly element: string
  readonly path: string

  constructor(element: string, path: string) {
    super(`${element}.${path} is not set`)
    this.element = element
    this.path = path
  }
}

/** Numbers to use instead of those of the device file. */
export interface DriveOverrides {
  /** Hz. */
  frequency?: number
  /** Amplitude of a half turn; a quarter turn then has half of it. */
  amp180?: number
  /** Amplitude of this pulse, whatever its angle. */
  amplitude?: number
  motzoi?: number
  /** s. */
  duration?: number
}

/** A submodule that holds a frequency and an amplitude of readout. */
type ReadoutPoint = 'measure' | 'measure_2state' | 'measure_3state'

interface ReadoutOverrides {
  /**
   * Where the resonator is read: `measure` has the largest magnitude, the others separate two or three states
   * best. A point that the element lacks is replaced by `measure`. Default `measure`.
   */
  point?: ReadoutPoint
  /** Hz. */
  frequency?: number
  amplitude?: number
  /** Length of the readout pulse, s. */
  duration?: number
  /** From the start of the pulse to the start of the window, s. */
  delay?: number
  /** Length of the window, s. */
  window?: number
}

interface CzOverrides {
  /** Hz; 0 is a pulse without carrier. */
  frequency?: number
  amplitude?: number
  /** s. */
  duration?: number
  /** Leaves out the local phase corrections. */
  isRaw?: boolean
}

export interface SpectroscopyPulse {
  /** Hz. */
  frequency: number
  amplitude: number
  /** s. */
  duration: number
}

interface DriveKeys {
  frequency: string
  amplitude: string
  motzoi: string
  duration: string
}

const DRIVE_01: DriveKeys = {
  frequency: 'clock_freqs.f01',
  amplitude: 'rxy.amp180',
  motzoi: 'rxy.motzoi',
  duration: 'rxy.duration',
}
const DRIVE_12: DriveKeys = {
  frequency: 'clock_freqs.f12',
  amplitude: 'r12.ef_amp180',
  motzoi: 'r12.ef_motzoi',
  duration: 'r12.ef_duration',
}

const DEGREE = Math.PI / 180

/**
 * Builds a schedule from gates on the elements of a chip, each as soon as its qubits are free. Every method
 * returns the builder.
 *
 * A rotation about z is virtual: `rz(a)` shifts the phase of later pulses by -a, because R(phi) Rz(a) =
 * Rz(a) R(phi - a). This holds on a chip of either handedness, that is for either sign of the Q quadrature.
 */
export class ScheduleBuilder {
  readonly #values: ElementValues
  readonly #gridNs: number
  readonly #pulses: Pulse[] = []
  readonly #acquisitions: Acquisition[] = []
  /** When each qubit is free, ns. */
  readonly #free = new Map<string, number>()
  /** Phase of the frame of each qubit, rad. */
  readonly #frames = new Map<string, number>()
  #end = 0

  /** @param gridNs grid to which delays are rounded, ns. */
  constructor(values: ElementValues, gridNs = 1) {
    this.#values = values
    this.#gridNs = gridNs
  }

  /**
   * Rotates a qubit by `theta` about the axis at `phi` in the plane of x and y, rad. A rotation by 0 waits as
   * long as a pulse.
   */
  rotate(qubit: string, theta: number, phi = 0, overrides: DriveOverrides = {}): this {
    const frame = this.#frames.get(qubit) ?? 0
    return this.#drive(qubit, DRIVE_01, theta, phi + frame, overrides)
  }

  /** The same between the states 1 and 2, whose frame no virtual rotation shifts. */
  rotate12(qubit: string, theta: number, phi = 0, overrides: DriveOverrides = {}): this {
    return this.#drive(qubit, DRIVE_12, theta, phi, overrides)
  }

  /** Rotates a qubit about z by an angle in rad, in no time. */
  rz(qubit: string, angle: number): this {
    return this.shiftPhase(qubit, -angle)
  }

  /** Adds to the phase of all later pulses of a qubit, rad; `rz(a)` is a shift by -a. */
  shiftPhase(qubit: string, shift: number): this {
    this.#frames.set(qubit, (this.#frames.get(qubit) ?? 0) + shift)
    return this
  }

  /** A long weak pulse of one frequency on the drive line. */
  tone(qubit: string, { frequency, amplitude, duration }: SpectroscopyPulse): this {
    const envelope: Envelope = { shape: 'square' }
    return this.#play(qubit, { frequency, phase: 0, amplitude, duration: nsOf(duration), envelope })
  }

  /** Waits, s. */
  delay(qubit: string, seconds: number): this {
    const ns = Math.round((seconds * 1e9) / this.#gridNs) * this.#gridNs
    return this.#advance(qubit, ns)
  }

  /** Waits until all given qubits are free; without arguments, all that were used. */
  barrier(...qubits: string[]): this {
    const all = qubits.length > 0 ? qubits : [...this.#free.keys()]
    const free = Math.max(0, ...all.map((qubit) => this.freeAt(qubit)))
    for (const qubit of all) this.#free.set(qubit, free)
    return this
  }

  /** Reads a qubit out. */
  measure(qubit: string, overrides: ReadoutOverrides = {}): this {
    const at = this.freeAt(qubit)
    const readout = this.#readoutOf(qubit, overrides)
    const { frequency, amplitude, pulse, delay, window } = readout
    const port = `${qubit}:res` as const
    const envelope: Envelope = { shape: 'square' }
    this.#pulses.push({ at, duration: pulse, port, frequency, phase: 0, amplitude, envelope })
    this.#acquisitions.push({ at: at + delay, duration: window, port, frequency, qubit })
    return this.#advance(qubit, Math.max(pulse, delay + window))
  }

  /**
   * Plays the CZ gate of an edge, with both qubits at rest, and corrects the phase that each acquires in it
   * by a rotation about z by its correction (in degrees). With a frequency of 0 the pulse has no carrier.
   */
  cz(edge: string, overrides: CzOverrides = {}): this {
    const [parent, child] = this.#values.ends(edge)
    this.barrier(parent, child)
    const at = this.freeAt(parent)
    const number = (path: string) => this.#number(edge, path)
    const duration = nsOf(overrides.duration ?? number('cz.square_duration'))
    const amplitude = overrides.amplitude ?? number('cz.square_amp')
    const frequency = overrides.frequency ?? this.#values.number(edge, 'clock_freqs.cz') ?? 0
    const envelope: Envelope = { shape: 'square' }
    this.#pulses.push({ at, duration, port: `${edge}:fl`, frequency, phase: 0, amplitude, envelope })
    for (const [qubit, role] of [
      [parent, 'parent'],
      [child, 'child'],
    ] as const) {
      this.#advance(qubit, duration)
      if (overrides.isRaw) continue
      this.rz(qubit, (this.#values.number(edge, `cz.${role}_phase_correction`) ?? 0) * DEGREE)
    }
    return this
  }

  /** The schedule so far, as long as its last pulse or window. */
  build(): Schedule {
    return { duration: this.#end, pulses: [...this.#pulses], acquisitions: [...this.#acquisitions] }
  }

  #drive(qubit: string, keys: DriveKeys, theta: number, phase: number, overrides: DriveOverrides): this {
    const angle = wrapAngle(theta)
    // A pulse between states 1 and 2 without a duration of its own has that of the others.
    const own = overrides.duration ?? this.#values.number(qubit, keys.duration)
    const duration = nsOf(own ?? this.#number(qubit, DRIVE_01.duration))
    if (angle === 0 && overrides.amplitude === undefined) return this.#advance(qubit, duration)
    const amplitude = overrides.amplitude ?? this.#driveAmplitude(qubit, keys, Math.abs(angle), overrides)
    return this.#play(qubit, {
      frequency: overrides.frequency ?? this.#number(qubit, keys.frequency),
      phase: wrapAngle(angle < 0 ? phase + Math.PI : phase),
      amplitude,
      duration,
      envelope: { shape: 'gaussian', motzoi: overrides.motzoi ?? this.#motzoi(qubit, keys, duration) },
    })
  }

  #driveAmplitude(qubit: string, keys: DriveKeys, angle: number, overrides: DriveOverrides): number {
    if (overrides.amp180 !== undefined) return amplitudeOf(angle, overrides.amp180)
    const amp90 = keys === DRIVE_01 ? this.#values.number(qubit, 'fine.amp90') : undefined
    return amplitudeOf(angle, this.#number(qubit, keys.amplitude), amp90)
  }

  /** The weight of the derivative; `rxy.beta`, which some files have instead, is motzoi times sigma in s. */
  #motzoi(qubit: string, keys: DriveKeys, duration: number): number {
    const motzoi = this.#values.number(qubit, keys.motzoi)
    if (motzoi !== undefined || keys !== DRIVE_01) return motzoi ?? 0
    const beta = this.#values.number(qubit, 'rxy.beta')
    return beta === undefined ? 0 : (beta * DURATION_IN_SIGMAS) / (duration * 1e-9)
  }

  #readoutOf(qubit: string, overrides: ReadoutOverrides) {
    const { point = 'measure' } = overrides
    const at = (path: string) => (point === 'measure' ? undefined : this.#values.number(qubit, path))
    const own = (path: string) => this.#number(qubit, path)
    return {
      frequency: overrides.frequency ?? at(`${point}.frequency`) ?? own('clock_freqs.readout'),
      amplitude: overrides.amplitude ?? at(`${point}.pulse_amp`) ?? own('measure.pulse_amp'),
      pulse: nsOf(overrides.duration ?? own('measure.pulse_duration')),
      delay: nsOf(overrides.delay ?? this.#values.number(qubit, 'measure.acq_delay') ?? 0),
      window: nsOf(overrides.window ?? at(`${point}.integration_time`) ?? own('measure.integration_time')),
    }
  }

  #play(qubit: string, pulse: Omit<Pulse, 'at' | 'port'>): this {
    const at = this.freeAt(qubit)
    this.#pulses.push({ at, port: `${qubit}:mw`, ...pulse })
    return this.#advance(qubit, pulse.duration)
  }

  /** When a qubit is free, ns. */
  freeAt(qubit: string): number {
    return this.#free.get(qubit) ?? 0
  }

  #advance(qubit: string, ns: number): this {
    const free = this.freeAt(qubit) + ns
    this.#free.set(qubit, free)
    this.#end = Math.max(this.#end, free)
    return this
  }

  #number(element: string, path: string): number {
    const value = this.#values.number(element, path)
    if (value === undefined) throw new UnsetValueError(element, path)
    return value
  }
}

function nsOf(seconds: number): number {
  return Math.round(seconds * 1e9)
}
