import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ScheduleBuilder } from '../../../src/devices/pulse/builder.ts'
import { checkProgram } from '../../../src/devices/pulse/check-program.ts'
import { amplitudeOf, wrapAngle } from '../../../src/devices/pulse/rotation.ts'

const QUBIT: Record<string, number> = {
  'clock_freqs.f01': 4.5e9,
  'clock_freqs.f12': 4.3e9,
  'clock_freqs.readout': 6.5e9,
  'rxy.amp180': 0.5,
  'rxy.motzoi': -0.1,
  'rxy.duration': 56e-9,
  'r12.ef_amp180': 0.36,
  'r12.ef_duration': 40e-9,
  'measure.pulse_amp': 0.1,
  'measure.pulse_duration': 1e-6,
  'measure.acq_delay': 212e-9,
  'measure.integration_time': 900e-9,
  'measure_2state.frequency': 6.499e9,
  'measure_2state.pulse_amp': 0.08,
}
const EDGE: Record<string, number> = {
  'cz.square_amp': 0.6,
  'cz.square_duration': 88e-9,
  'cz.parent_phase_correction': 90,
  'clock_freqs.cz': 7.1e8,
}

function builder(changed: Record<string, number | undefined> = {}) {
  return new ScheduleBuilder({
    number: (element, path) => {
      if (element === 'q0_q1') return EDGE[path]
      return path in changed ? changed[path] : QUBIT[path]
    },
    ends: () => ['q0', 'q1'],
  })
}
const phasesOf = (schedule: ReturnType<ScheduleBuilder['build']>) => schedule.pulses.map(({ phase }) => phase)

type Matrix = readonly (readonly [re: number, im: number])[]
const multiply = ([a, b, c, d]: Matrix, [e, f, g, h]: Matrix): Matrix => {
  const times = (x = [0, 0] as readonly [number, number], y = [0, 0] as readonly [number, number]) =>
    [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]] as const
  const sum = (x: readonly [number, number], y: readonly [number, number]) =>
    [x[0] + y[0], x[1] + y[1]] as const
  return [
    sum(times(a, e), times(b, g)),
    sum(times(a, f), times(b, h)),
    sum(times(c, e), times(d, g)),
    sum(times(c, f), times(d, h)),
  ]
}
/** exp(-i theta/2 (cos phi X + sin phi Y)) */
const rotation = (theta: number, phi: number): Matrix => {
  const [c, s] = [Math.cos(theta / 2), Math.sin(theta / 2)]
  return [
    [c, 0],
    [-s * Math.sin(phi), -s * Math.cos(phi)],
    [s * Math.sin(phi), -s * Math.cos(phi)],
    [c, 0],
  ]
}
const zRotation = (angle: number): Matrix => [
  [Math.cos(angle / 2), -Math.sin(angle / 2)],
  [0, 0],
  [0, 0],
  [Math.cos(angle / 2), Math.sin(angle / 2)],
]
const excited = (matrix: Matrix) => (matrix[2]?.[0] ?? 0) ** 2 + (matrix[2]?.[1] ?? 0) ** 2

describe('ScheduleBuilder', () => {
  test('turns by amplitude, and backwards by the opposite phase', () => {
    const schedule = builder()
      .rotate('q0', Math.PI)
      .rotate('q0', Math.PI / 2, Math.PI / 2)
      .rotate('q0', -Math.PI)
      .build()
    expect(schedule.pulses.map(({ amplitude }) => amplitude)).toEqual([0.5, 0.25, 0.5])
    expect(phasesOf(schedule)).toEqual([0, Math.PI / 2, Math.PI])
    expect(schedule.pulses.map(({ at }) => at)).toEqual([0, 56, 112])
    expect(schedule.pulses[0]).toMatchObject({
      ...{ duration: 56, port: 'q0:mw', frequency: 4.5e9 },
      envelope: { shape: 'gaussian', motzoi: -0.1 },
    })
  })

  test('goes through the amplitude of a quarter turn where the element has one', () => {
    const schedule = builder({ 'fine.amp90': 0.24 })
      .rotate('q0', Math.PI / 2)
      .rotate('q0', (3 * Math.PI) / 4)
      .build()
    expect(schedule.pulses.map(({ amplitude }) => amplitude)).toEqual([0.24, 0.37])
  })

  test('reads the derivative in seconds where the file has it so', () => {
    const changed = { 'rxy.motzoi': undefined, 'rxy.beta': 7e-10 }
    const [pulse] = builder(changed).rotate('q0', Math.PI).build().pulses
    expect(pulse?.envelope).toEqual({ shape: 'gaussian', motzoi: expect.closeTo(0.1, 12) })
  })

  test('turns about z by the phase of later pulses, on a chip of either handedness', () => {
    for (const angle of [0.3, Math.PI / 2, -2.1]) {
      const phases = phasesOf(
        builder()
          .rotate('q0', Math.PI / 2, Math.PI / 2)
          .rz('q0', angle)
          .rotate('q0', Math.PI / 2)
          .build(),
      )
      for (const hand of [1, -1]) {
        const played = phases.reduce<Matrix>(
          (before, phase) => multiply(rotation(Math.PI / 2, hand * phase), before),
          [
            [1, 0],
            [0, 0],
            [0, 0],
            [1, 0],
          ],
        )
        const ideal = multiply(
          rotation(Math.PI / 2, 0),
          multiply(zRotation(angle), rotation(Math.PI / 2, Math.PI / 2)),
        )
        expect(excited(played)).toBeCloseTo(excited(ideal), 12)
      }
    }
  })

  test('plays the transition from 1 to 2 by its own parameters and without the frame of the qubit', () => {
    const [pulse] = builder().rz('q0', 1).rotate12('q0', Math.PI).build().pulses
    expect(pulse).toMatchObject({ frequency: 4.3e9, amplitude: 0.36, duration: 40, phase: 0 })
    const [other] = builder({ 'r12.ef_duration': undefined }).rotate12('q0', Math.PI).build().pulses
    expect(other?.duration).toBe(56)
  })

  test('reads at the named point, or at the first one where the element lacks it', () => {
    const { pulses, acquisitions, duration } = builder().rotate('q0', Math.PI).measure('q0').build()
    expect(pulses[1]).toMatchObject({
      at: 56,
      duration: 1_000,
      port: 'q0:res',
      frequency: 6.5e9,
      amplitude: 0.1,
    })
    expect(acquisitions).toEqual([{ at: 268, duration: 900, port: 'q0:res', frequency: 6.5e9, qubit: 'q0' }])
    expect(duration).toBe(1_168)
    const two = builder().measure('q0', { point: 'measure_2state' }).build()
    expect(two.pulses[0]).toMatchObject({ frequency: 6.499e9, amplitude: 0.08 })
    const three = builder().measure('q0', { point: 'measure_3state' }).build()
    expect(three.pulses[0]).toMatchObject({ frequency: 6.5e9, amplitude: 0.1 })
  })

  test('plays a CZ when both qubits are free, and corrects the phase of each', () => {
    const built = () =>
      builder()
        .rotate('q0', Math.PI / 2)
        .rotate('q1', Math.PI / 2)
        .rotate('q1', Math.PI / 2)
    const schedule = built()
      .cz('q0_q1')
      .rotate('q0', Math.PI / 2)
      .rotate('q1', Math.PI / 2)
      .build()
    const [, , , gate, parent, child] = schedule.pulses
    expect(gate).toMatchObject({ at: 112, duration: 88, port: 'q0_q1:fl', frequency: 7.1e8, amplitude: 0.6 })
    expect([parent?.at, parent?.phase]).toEqual([200, -Math.PI / 2])
    expect([child?.at, child?.phase]).toEqual([200, 0])
    const raw = built()
      .cz('q0_q1', { isRaw: true, frequency: 0 })
      .rotate('q0', Math.PI / 2)
      .build()
    expect(raw.pulses[3]?.frequency).toBe(0)
    expect(raw.pulses[4]?.phase).toBe(0)
  })

  test('names a value that the element lacks', () => {
    expect(() => builder({ 'clock_freqs.f01': undefined }).rotate('q0', 1)).toThrow(
      'q0.clock_freqs.f01 is not set',
    )
  })

  test('builds only what an instrument accepts, whatever the order of gates', () => {
    const gates = fc.array(
      fc.tuple(
        fc.constantFrom('rotate', 'delay', 'cz', 'rotate12', 'barrier'),
        fc.constantFrom('q0', 'q1'),
        fc.double({ min: -10, max: 10, noNaN: true }),
      ),
      { maxLength: 20 },
    )
    const apply: Record<string, (to: ScheduleBuilder, qubit: string, value: number) => unknown> = {
      rotate: (to, qubit, value) => to.rotate(qubit, value, value),
      rotate12: (to, qubit, value) => to.rotate12(qubit, value),
      delay: (to, qubit, value) => to.delay(qubit, Math.abs(value) * 1e-6),
      cz: (to) => to.cz('q0_q1'),
      barrier: (to) => to.barrier(),
    }
    fc.assert(
      fc.property(gates, (list) => {
        const built = builder()
        for (const [gate, qubit, value] of list) apply[gate]?.(built, qubit, value)
        const schedule = built.barrier().measure('q0').measure('q1').build()
        checkProgram({ kind: 'average', shots: 1, reset_ns: 0, points: [schedule] })
      }),
    )
  })
})

describe('amplitudeOf()', () => {
  test('is a straight line without an amplitude for a quarter turn', () => {
    expect(amplitudeOf(Math.PI / 4, 0.8)).toBeCloseTo(0.2)
    expect(amplitudeOf(Math.PI / 4, 0.8, 0)).toBeCloseTo(0.2)
    expect(amplitudeOf(Math.PI / 4, 0.8, 0.39)).toBeCloseTo(0.195)
  })
})

describe('wrapAngle()', () => {
  test('stays equal up to full turns', () => {
    fc.assert(
      fc.property(fc.double({ min: -100, max: 100, noNaN: true }), (angle) => {
        const wrapped = wrapAngle(angle)
        expect(Math.abs(wrapped)).toBeLessThanOrEqual(Math.PI)
        expect(Math.cos(wrapped - angle)).toBeCloseTo(1, 9)
      }),
    )
  })
})
