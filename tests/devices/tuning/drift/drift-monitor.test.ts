import { describe, expect, test } from 'bun:test'
import { silentLog } from '../../../../src/base/index.ts'
import type { TunerIo } from '../../../../src/devices/define-device.ts'
import { driftedTargets, judgeFindings } from '../../../../src/devices/tuning/drift/decide-drift.ts'
import { DriftMonitor } from '../../../../src/devices/tuning/drift/drift-monitor.ts'
import type { CalibrationFindings } from '../../../../src/protocol/index.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const LIMITS = { qubit: 0.99, edge: 0.95, errorFactor: 3 }
const HOUR = 3_600_000

type Findings = CalibrationFindings
const rb = (target: string, fidelity: number, fidelity_error = 1e-3) => ({
  ...{
    protocol: target.includes('_') ? 'cz_rb' : 'randomized_benchmarking',
    target,
    fidelity,
    fidelity_error,
  },
})
const findings = (...benchmarks: NonNullable<Findings['benchmarks']>): Findings => ({
  status: 'success',
  benchmarks,
})
const GOOD = findings(rb('q0', 0.999), rb('q1', 0.998))
const BAD = findings(rb('q0', 0.9), rb('q1', 0.998))

/** A monitor with a check every hour, whose calibrations return the scripted findings, the last for ever. */
function setUp(script: (Findings | undefined)[], random = () => 0.5) {
  const clock = new FakeClock()
  const stop = new AbortController()
  const orders: string[] = []
  const events: [string, Record<string, unknown>][] = []
  const monitor = new DriftMonitor({
    clock,
    log: silentLog,
    intervalS: 3_600,
    limits: LIMITS,
    random,
  })
  const io: TunerIo = {
    signal: stop.signal,
    emit: (type, payload) => events.push([type, payload]),
    async calibrateNow({ mode, targetQubits = [] }) {
      orders.push(`${clock.monotonic() / HOUR} ${mode} ${targetQubits.join(' ')}`.trim())
      return script.length > 1 ? script.shift() : script[0]
    },
  }
  const ended = monitor.run(io)
  return { clock, stop, orders, events, monitor, ended }
}

describe('DriftMonitor', () => {
  test('checks once per interval, the first time after one', async () => {
    const { clock, orders, stop, ended } = setUp([GOOD])
    await clock.advance(3 * HOUR)
    expect(orders).toEqual(['1 fidelity_check', '2 fidelity_check', '3 fidelity_check'])
    stop.abort()
    await ended
    expect(clock.sleepers).toBe(0)
  })

  test.each([
    [0, 0.9],
    [1, 1.1],
  ])('spreads the first check by a tenth of the interval', async (random, hours) => {
    const { clock, orders } = setUp([GOOD], () => random)
    await clock.advance(1.2 * HOUR)
    expect(orders).toHaveLength(1)
    expect(Number(orders[0]?.split(' ')[0])).toBeCloseTo(hours, 9)
  })

  test('calibrates what has drifted, and checks that alone again', async () => {
    const { clock, orders, events } = setUp([BAD, GOOD, findings(rb('q0', 0.995)), GOOD])
    await clock.advance(HOUR)
    expect(orders).toEqual(['1 fidelity_check', '1 partial q0', '1 fidelity_check q0'])
    expect(events).toEqual([])
  })

  test('gives up after two rounds, says so, and does not loop on a dead qubit', async () => {
    const { clock, orders, events } = setUp([BAD])
    await clock.advance(HOUR)
    expect(orders.slice(1)).toEqual([
      ...['1 partial q0', '1 fidelity_check q0', '1 partial q0', '1 fidelity_check q0'],
    ])
    expect(events).toEqual([
      ['TargetDegraded', { target: 'q0', fidelity: 0.9, threshold: 0.99, paused_s: 6 * 3_600 }],
    ])
    orders.length = 0
    await clock.advance(6 * HOUR)
    expect(orders.filter((order) => order.includes('partial'))).toEqual([])
    expect(orders).toHaveLength(6)
    await clock.advance(HOUR)
    expect(orders[7]).toBe('8 partial q0')
  })

  test('ends the pause of a target that is good again', async () => {
    const { clock, orders } = setUp([BAD, BAD, BAD, BAD, BAD, GOOD, BAD, GOOD])
    await clock.advance(3 * HOUR)
    expect(orders.slice(5)).toEqual([
      ...['2 fidelity_check', '3 fidelity_check', '3 partial q0', '3 fidelity_check q0'],
    ])
  })

  test('does nothing in maintenance, and gives way to a requested calibration', async () => {
    const { clock, orders, monitor, events } = setUp([undefined, BAD, undefined])
    monitor.maintenance(true)
    await clock.advance(2 * HOUR)
    expect(orders).toEqual([])
    monitor.maintenance(false)
    await clock.advance(2 * HOUR)
    expect(orders).toEqual(['3 fidelity_check', '4 fidelity_check', '4 partial q0'])
    expect(events).toEqual([])
  })
})

describe('driftedTargets()', () => {
  const drifted = (each: Findings) => driftedTargets(each, LIMITS).map(({ target }) => target)

  test('compares gate fidelities with the threshold of their kind, less one standard error', () => {
    expect(
      drifted(findings(rb('q0', 0.9895), rb('q1', 0.9885), rb('q0_q1', 0.96), rb('q1_q2', 0.9))),
    ).toEqual([...['q1', 'q1_q2']])
  })

  test('compares errors with those when a target was calibrated, and values with those in force', () => {
    const of = (routine: string, path: string, value: number, previous: number) => ({
      ...{ routine, target: 'q0', status: 'success' as const },
      parameters: { [path]: { value, error: 0, previous, written: false } },
    })
    const readout = (error: number, previous_error?: number) =>
      findings({ protocol: 'readout_fidelity', target: 'q0', fidelity: 1 - error, previous_error })
    const CASES: [Findings, boolean][] = [
      [findings({ ...rb('q0', 0.9985, 2e-4), previous_error: 3e-4 }), true],
      [findings({ ...rb('q0', 0.9985, 4e-4), previous_error: 3e-4 }), false],
      [readout(0.08, 0.02), true],
      [readout(0.05, 0.02), false],
      [readout(0.08), false],
      [readout(0.12), true],
      [{ ...GOOD, routines: [of('t1', 'coherence.t1', 30e-6, 100e-6)] }, true],
      [{ ...GOOD, routines: [of('t1', 'coherence.t1', 40e-6, 100e-6)] }, false],
      [{ ...GOOD, routines: [of('ramsey_correction', 'clock_freqs.f01', 5e9 - 6e4, 5e9)] }, true],
      [{ ...GOOD, routines: [of('ramsey_correction', 'clock_freqs.f01', 5e9 + 4e4, 5e9)] }, false],
      [{ ...GOOD, routines: [of('two_state_discrimination', 'measure.acq_rotation', 5, 350)] }, false],
      [{ ...GOOD, routines: [of('two_state_discrimination', 'measure.acq_rotation', 5, 330)] }, true],
    ]
    for (const [each, expected] of CASES)
      expect([each, drifted(each)]).toEqual([each, expected ? ['q0'] : []])
  })

  test.each([
    [1e-4, 'in'],
    [2e-3, 'unknown'],
  ])('an error below a bound of %p is %s beside one of 0.0002 before', (error, state) => {
    const bound = { protocol: 'randomized_benchmarking', target: 'q0', previous_error: 2e-4 }
    const [verdict] = judgeFindings(findings({ ...bound, upper_bound: { error, confidence: 0.95 } }), LIMITS)
    expect(verdict?.state as string).toBe(state)
  })

  test('takes other benchmarks only where no gate was measured, by their own limits', () => {
    const xy = (target: string, error: number) => ({ protocol: 'all_xy', target, error })
    const readout = { protocol: 'readout_fidelity', target: 'q2', fidelity: 0.95, error: 0.05 }
    expect(drifted(findings(rb('q0', 0.995), xy('q0', 0.2), xy('q1', 0.2), xy('q2', 0.02), readout))).toEqual(
      ['q1'],
    )
  })

  test('takes a failed benchmark as drift', () => {
    const failed = { routine: 'randomized_benchmarking', target: 'q3', status: 'failed' as const }
    expect(drifted({ ...GOOD, routines: [failed] })).toEqual(['q3'])
  })
})
