import { describe, expect, test } from 'bun:test'
import * as v from 'valibot'
import { Progress } from '../../../src/devices/tuning/progress.ts'
import { type CalibrationStep, calibrationStep } from '../../../src/protocol/calibration.ts'
import { FakeClock } from '../../support/fake-clock.ts'

function setUp() {
  const clock = new FakeClock()
  const sent: [ms: number, step: number][] = []
  const over = new AbortController()
  const send = ({ step }: CalibrationStep) => sent.push([clock.monotonic(), step])
  const progress = new Progress({ clock, signal: over.signal, send })
  const report = (step: number) => progress.report({ phase: 'routine', step, total: 33 })
  return { clock, sent, over, progress, report }
}

describe('Progress', () => {
  test('sends ten steps a second at most, of those between the last one', async () => {
    const { clock, sent, report } = setUp()
    for (let step = 0; step < 100; step++) {
      report(step)
      await clock.advance(10)
    }
    await clock.advance(1_000)
    expect(sent.length).toBeLessThanOrEqual(11)
    expect(sent[0]).toEqual([0, 0])
    expect(sent.at(-1)?.[1]).toBe(99)
    for (const [at, [ms]] of sent.entries())
      if (at > 0) expect(ms - (sent[at - 1]?.[0] ?? 0)).toBeGreaterThanOrEqual(100)
  })

  test('sends the plan at once, and what waits at the end of the run', async () => {
    const { clock, sent, over, progress, report } = setUp()
    report(1)
    progress.report({ phase: 'plan', step: 0, total: 33, plan: [] })
    report(2)
    report(3)
    progress.flush()
    over.abort()
    await clock.advance(1_000)
    expect(sent.map(([, step]) => step)).toEqual([1, 0, 3])
  })

  test('keeps the newest trace of the steps that are not sent', async () => {
    const { clock } = setUp()
    const sent: CalibrationStep[] = []
    const { signal } = new AbortController()
    const progress = new Progress({ clock, signal, send: (step) => sent.push(step) })
    const trace = (y: number[]): CalibrationStep['trace'] => ({
      ...{ routine: 't1', target: 'q0', kind: 'line', model: 'exponential', y, y_name: 'P1', y_unit: '' },
      x: { name: 'delay', unit: 's', values: [0, 1] },
    })
    progress.report({ phase: 'routine', step: 1, total: 3, trace: trace([1, 0]) })
    progress.report({ phase: 'routine', step: 2, total: 3, trace: trace([1, 0.5]) })
    progress.report({ phase: 'routine', step: 2, total: 3, trace: trace([1, 0.7]) })
    progress.report({ phase: 'routine', step: 3, total: 3 })
    await clock.advance(100)
    expect(sent.map(({ step, trace: shown }) => [step, shown?.y])).toEqual([
      [1, [1, 0]],
      [3, [1, 0.7]],
    ])
  })

  test('names the outcomes of the steps that are not sent: all qubits of a group end at once', async () => {
    const { clock } = setUp()
    const sent: CalibrationStep[] = []
    const { signal } = new AbortController()
    const progress = new Progress({ clock, signal, send: (step) => sent.push(step) })
    const end = (target: string) => ({ routine: 't1', target, outcome: 'success' })
    const targets = Array.from({ length: 250 }, (_, at) => `q${at}`)
    for (const target of targets) progress.report({ phase: 'routine', step: 1, total: 2, ...end(target) })
    progress.report({ phase: 'routine', step: 2, total: 2, routine: 't2_echo', running: targets })
    await clock.advance(1_000)
    const named = sent.flatMap(({ ended = [], routine = '', target, outcome }) =>
      outcome === undefined || target === undefined ? ended : [...ended, { routine, target, outcome }],
    )
    expect(named).toEqual(targets.map(end))
    expect(sent.at(-1)).toMatchObject({ step: 2, routine: 't2_echo' })
    expect(sent.length).toBeLessThan(6)
    expect(sent.filter((step) => !v.is(calibrationStep, step))).toEqual([])
  })
})
