import {
  type Acquisition,
  type Envelope,
  PORT_KINDS,
  type Program,
  type Pulse,
  partsOfPort,
  type Schedule,
} from './schedule.ts'

/** The largest program that an instrument accepts. */
export const PROGRAM_LIMITS = {
  points: 20_000,
  shots: 1_000_000,
  /** Wait before each repetition: 100 ms. */
  resetNs: 100_000_000,
  /** Length of a schedule: 100 ms. */
  durationNs: 100_000_000,
  /** Pulses of one schedule. */
  pulses: 200_000,
  /** Acquisitions of one schedule. */
  acquisitions: 1_000,
  /** Length of a recorded trace. */
  traceNs: 16_384,
  /** Shots or samples that one result keeps, over all points and acquisitions. */
  keptValues: 8_000_000,
  /** Hz; no line of a chip reaches further. */
  frequency: 20e9,
  /** Weight of the derivative of a Gaussian. */
  motzoi: 10,
} as const

/** A program that no instrument can play: `field` is the path of the value at fault. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError'
  readonly field: string

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`)
    this.field = field
  }
}

/**
 * Checks that a program lies within the limits and is playable: whole times, known kinds of ports, pulses and
 * windows within their schedule, amplitudes within full scale, and no two pulses of a port at one time.
 * @throws ProgramError naming the first field at fault, its value and what is accepted.
 */
export function checkProgram(program: Program): void {
  checkWhole('shots', program.shots, 1, PROGRAM_LIMITS.shots)
  checkWhole('reset_ns', program.reset_ns, 0, PROGRAM_LIMITS.resetNs)
  const { points } = program
  checkCount('points', points.length, 1, PROGRAM_LIMITS.points)
  let kept = 0
  for (const [index, point] of points.entries()) {
    checkSchedule(`points[${index}]`, point, program.kind === 'trace')
    if (program.kind === 'shots') kept += program.shots * point.acquisitions.length
    if (program.kind === 'trace') for (const { duration } of point.acquisitions) kept += duration
  }
  if (kept > PROGRAM_LIMITS.keptValues) {
    const limit = PROGRAM_LIMITS.keptValues
    throw new ProgramError('points', `${kept} values to keep, at most ${limit}; split the program`)
  }
}

function checkSchedule(field: string, schedule: Schedule, isTrace: boolean): void {
  checkWhole(`${field}.duration`, schedule.duration, 0, PROGRAM_LIMITS.durationNs)
  checkCount(`${field}.pulses`, schedule.pulses.length, 0, PROGRAM_LIMITS.pulses)
  checkCount(`${field}.acquisitions`, schedule.acquisitions.length, 0, PROGRAM_LIMITS.acquisitions)
  for (const [index, pulse] of schedule.pulses.entries())
    checkPulse(`${field}.pulses[${index}]`, pulse, schedule)
  for (const [index, acquisition] of schedule.acquisitions.entries())
    checkAcquisition(`${field}.acquisitions[${index}]`, acquisition, schedule, isTrace)
  checkPorts(field, schedule.pulses)
}

function checkPulse(field: string, pulse: Pulse, schedule: Schedule): void {
  checkTimes(field, pulse, schedule)
  checkCarrier(field, pulse.frequency, pulse.phase)
  checkRange(`${field}.amplitude`, pulse.amplitude, 0, 1)
  checkEnvelope(`${field}.envelope`, pulse.envelope, pulse.duration)
}

function checkAcquisition(field: string, window: Acquisition, schedule: Schedule, isTrace: boolean): void {
  checkTimes(field, window, schedule)
  if (window.port !== `${window.qubit}:res`) {
    throw new ProgramError(`${field}.port`, `"${window.port}" does not read ${window.qubit}`)
  }
  checkCarrier(field, window.frequency, window.phase ?? 0)
  if (isTrace) checkWhole(`${field}.duration`, window.duration, 1, PROGRAM_LIMITS.traceNs)
}

function checkTimes(field: string, part: { at: number; duration: number }, schedule: Schedule): void {
  checkWhole(`${field}.at`, part.at, 0, schedule.duration)
  checkWhole(`${field}.duration`, part.duration, 1, schedule.duration)
  const end = part.at + part.duration
  if (end > schedule.duration) {
    throw new ProgramError(field, `ends at ${end} ns, after its schedule of ${schedule.duration} ns`)
  }
}

function checkCarrier(field: string, frequency: number, phase: number): void {
  checkRange(`${field}.frequency`, frequency, 0, PROGRAM_LIMITS.frequency, 'Hz')
  if (!Number.isFinite(phase)) throw new ProgramError(`${field}.phase`, `${phase} is not a finite number`)
}

function checkPort(field: string, port: Pulse['port']): void {
  const { element, kind } = partsOfPort(port)
  if (element === '' || !PORT_KINDS.includes(kind)) {
    throw new ProgramError(field, `"${port}" is not <element>:<${PORT_KINDS.join('|')}>`)
  }
}

function checkEnvelope(field: string, envelope: Envelope, duration: number): void {
  const { motzoi } = PROGRAM_LIMITS
  if (envelope.shape === 'gaussian') checkRange(`${field}.motzoi`, envelope.motzoi, -motzoi, motzoi)
  if (envelope.shape === 'soft_square') checkRange(`${field}.rise`, envelope.rise, 0, duration / 2, 'ns')
}

/** A port has a known kind, and is one source of waveforms: it plays one pulse at a time. */
function checkPorts(field: string, pulses: readonly Pulse[]): void {
  const ends = new Map<string, number>()
  const ordered = pulses.map((pulse, index) => ({ pulse, index })).sort((a, b) => a.pulse.at - b.pulse.at)
  for (const { pulse, index } of ordered) {
    const end = ends.get(pulse.port)
    if (end === undefined) checkPort(`${field}.pulses[${index}].port`, pulse.port)
    if (end !== undefined && pulse.at < end) {
      const problem = `starts at ${pulse.at} ns while ${pulse.port} plays another pulse until ${end} ns`
      throw new ProgramError(`${field}.pulses[${index}]`, problem)
    }
    ends.set(pulse.port, pulse.at + pulse.duration)
  }
}

function checkWhole(field: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value)) throw new ProgramError(field, `${value} is not a whole number`)
  checkRange(field, value, min, max)
}

function checkCount(field: string, count: number, min: number, max: number): void {
  if (count < min || count > max) throw new ProgramError(field, `${count} entries, expected ${min} to ${max}`)
}

function checkRange(field: string, value: number, min: number, max: number, unit = ''): void {
  if (value >= min && value <= max) return
  throw new ProgramError(field, `${value} is not within ${min} to ${max}${unit === '' ? '' : ` ${unit}`}`)
}
