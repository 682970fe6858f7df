import fc from 'fast-check'
import { MODULE_KINDS } from '../../../src/devices/chip/hardware/modules.ts'
import type {
  Acquisition,
  Envelope,
  PortName,
  Program,
  Pulse,
  Schedule,
} from '../../../src/devices/pulse/schedule.ts'

/** Frequency of the local oscillator of all ports, Hz. */
export const LO = 5e9
/** Every tone is played beside the local oscillator; flux pulses have none. */
export const OSCILLATOR = {
  ncoHz: (_: PortName, frequency: number) => (frequency === 0 ? 0 : frequency - LO),
  markers: () => 2,
  memory: (port: PortName) => (port.endsWith(':res') ? MODULE_KINDS.QRM_RF : MODULE_KINDS.QCM_RF).memory,
  delayNs: () => 0,
}
/** Length of the windows, ns. */
export const WINDOW_NS = 400

const envelopes: fc.Arbitrary<Envelope> = fc.oneof(
  fc.constant({ shape: 'square' as const }),
  fc.record({ shape: fc.constant('gaussian' as const), motzoi: fc.double({ min: -1, max: 1, noNaN: true }) }),
  fc.record({ shape: fc.constant('soft_square' as const), rise: fc.integer({ min: 0, max: 20 }) }),
)
const frequencies = fc.constantFrom(LO - 200e6, LO + 93.7e6, LO + 499e6)
const phases = fc.double({ min: -7, max: 7, noNaN: true })
const amplitudes = fc.double({ min: 0.01, max: 1, noNaN: true })

/** Pulses of a port that follow each other at any distance. */
function pulsesOn(port: PortName, isDriven: boolean): fc.Arbitrary<Pulse[]> {
  const pulse = fc.record({
    gap: fc.integer({ min: 0, max: 90 }),
    duration: fc.integer({ min: 40, max: 260 }),
    frequency: isDriven ? frequencies : fc.constant(0),
    phase: isDriven ? phases : fc.constant(0),
    amplitude: amplitudes,
    envelope: envelopes,
  })
  return fc.array(pulse, { maxLength: 5 }).map((pulses) => {
    let cursor = 0
    return pulses.map(({ gap, ...rest }) => {
      const at = cursor + gap
      cursor = at + rest.duration
      return { ...rest, at, port }
    })
  })
}

/** Readout pulses with a window each. */
const readouts = fc.array(
  fc.record({
    frequency: frequencies,
    phase: phases,
    amplitude: amplitudes,
    delay: fc.integer({ min: 4, max: 700 }),
  }),
  { maxLength: 2 },
)

const schedules: fc.Arbitrary<Schedule> = fc
  .tuple(pulsesOn('q0:mw', true), pulsesOn('q0_q1:fl', false), readouts, fc.integer({ min: 4, max: 3_000 }))
  .map(([drives, fluxes, reads, rest]) => {
    const length = 600
    const pulses: Pulse[] = [...drives, ...fluxes]
    const acquisitions: Acquisition[] = []
    for (const [index, { delay, ...read }] of reads.entries()) {
      const at = index * 1_200
      pulses.push({ ...read, at, duration: length, port: 'q0:res', envelope: { shape: 'square' } })
      const { frequency, phase } = read
      acquisitions.push({
        at: at + delay,
        duration: WINDOW_NS,
        port: 'q0:res',
        qubit: 'q0',
        frequency,
        phase,
      })
    }
    const ends = [...pulses, ...acquisitions].map(({ at, duration }) => at + duration)
    return { duration: Math.max(0, ...ends) + rest, pulses, acquisitions }
  })

const shortResets = fc.integer({ min: 0, max: 1_000 })
/** Waits that become a loop. */
export const longResets = fc.integer({ min: 262_130, max: 330_000 })

/** Random programs on the ports of a qubit and a coupler. */
export const programs = (kind: 'average' | 'shots', resets = shortResets): fc.Arbitrary<Program> =>
  fc.record({
    kind: fc.constant(kind),
    shots: fc.integer({ min: 1, max: 3 }),
    reset_ns: resets,
    points: fc.array(schedules, { minLength: 1, maxLength: 3 }),
  })
