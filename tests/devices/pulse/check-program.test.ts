import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkProgram, PROGRAM_LIMITS, ProgramError } from '../../../src/devices/pulse/check-program.ts'
import type { Acquisition, PortName, Program, Pulse, Schedule } from '../../../src/devices/pulse/schedule.ts'

const PULSE: Pulse = {
  at: 0,
  duration: 20,
  port: 'q0:mw',
  frequency: 4.5e9,
  phase: 0,
  amplitude: 0.5,
  envelope: { shape: 'gaussian', motzoi: 0.1 },
}
const WINDOW: Acquisition = { at: 220, duration: 1000, port: 'q0:res', frequency: 6.5e9, qubit: 'q0' }

function programOf(change: Partial<Program> = {}, point: Partial<Schedule> = {}): Program {
  const schedule = { duration: 1300, pulses: [PULSE], acquisitions: [WINDOW], ...point }
  return { kind: 'average', shots: 100, reset_ns: 200_000, points: [schedule], ...change }
}
const withPulse = (change: Partial<Pulse>) =>
  programOf({}, { pulses: [PULSE, { ...PULSE, at: 100, ...change }] })
const withWindow = (change: Partial<Acquisition>) =>
  programOf({}, { acquisitions: [{ ...WINDOW, ...change }] })

describe('checkProgram', () => {
  test('accepts a measurement, and a pulse that starts where another ends', () => {
    expect(() => checkProgram(programOf())).not.toThrow()
    expect(() => checkProgram(withPulse({ at: 20 }))).not.toThrow()
    expect(() => checkProgram(withPulse({ at: 10, port: 'q1:mw' }))).not.toThrow()
  })

  const trace = { ...WINDOW, duration: PROGRAM_LIMITS.traceNs + 1 }
  test.each([
    ['shots', programOf({ shots: 0 }), '0 is not within 1 to 1000000'],
    ['shots', programOf({ shots: 1.5 }), '1.5 is not a whole number'],
    ['reset_ns', programOf({ reset_ns: -1 }), '-1 is not within 0 to 100000000'],
    ['points', programOf({ points: [] }), '0 entries, expected 1 to 20000'],
    ['points', programOf({ points: Array(20_001).fill(programOf().points[0]) }), '20001 entries'],
    [
      'points',
      programOf({ kind: 'shots', shots: 1e6, points: Array(9).fill(programOf().points[0]) }),
      'split',
    ],
    ['points[0].duration', programOf({}, { duration: 0.5 }), '0.5 is not a whole number'],
    ['points[0].pulses[1].at', withPulse({ at: -4 }), '-4 is not within'],
    ['points[0].pulses[1].duration', withPulse({ duration: 0 }), '0 is not within 1'],
    ['points[0].pulses[1]', withPulse({ at: 1290 }), 'ends at 1310 ns, after its schedule of 1300 ns'],
    ['points[0].pulses[1]', withPulse({ at: 10 }), 'while q0:mw plays another pulse until 20 ns'],
    ['points[0].pulses[1].port', withPulse({ port: 'q0' as PortName }), '"q0" is not <element>:<mw|res|fl>'],
    ['points[0].pulses[1].frequency', withPulse({ frequency: Number.NaN }), 'NaN is not within 0 to'],
    ['points[0].pulses[1].phase', withPulse({ phase: Number.POSITIVE_INFINITY }), 'not a finite number'],
    ['points[0].pulses[1].amplitude', withPulse({ amplitude: 1.01 }), '1.01 is not within 0 to 1'],
    [
      'points[0].pulses[1].envelope.motzoi',
      withPulse({ envelope: { shape: 'gaussian', motzoi: Number.NaN } }),
      'NaN is not within',
    ],
    [
      'points[0].pulses[1].envelope.rise',
      withPulse({ envelope: { shape: 'soft_square', rise: 11 } }),
      '11 is not within 0 to 10 ns',
    ],
    ['points[0].acquisitions[0].port', withWindow({ qubit: 'q1' }), '"q0:res" does not read q1'],
    ['points[0].acquisitions[0]', withWindow({ at: 400 }), 'ends at 1400 ns'],
    [
      'points[0].acquisitions[0].duration',
      programOf({ kind: 'trace' }, { duration: 20_000, acquisitions: [trace] }),
      '16385 is not within 1 to 16384',
    ],
  ])('names %s', (field, program, problem) => {
    const check = () => checkProgram(program)
    expect(check).toThrow(ProgramError)
    expect(check).toThrow(problem)
    expect(check).toThrow(new RegExp(`^${field.replaceAll(/[[\].]/g, '\\$&')}: `))
  })

  test('two pulses of a port are accepted exactly when they do not overlap', () => {
    const time = fc.integer({ min: 0, max: 600 })
    const length = fc.integer({ min: 1, max: 600 })
    fc.assert(
      fc.property(time, length, time, length, (at, duration, otherAt, otherDuration) => {
        const pulses = [
          { ...PULSE, at, duration },
          { ...PULSE, at: otherAt, duration: otherDuration },
        ]
        const overlap = at < otherAt + otherDuration && otherAt < at + duration
        let isRefused = false
        try {
          checkProgram(programOf({}, { pulses }))
        } catch {
          isRefused = true
        }
        expect(isRefused).toBe(overlap)
      }),
    )
  })
})
