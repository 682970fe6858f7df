import { describe, expect, test } from 'bun:test'
import { Forecast } from '../../../../../src/db/store/jobs/forecast/forecast.ts'

const SIZE = { program: 'bell', shots: 1_000, executions: 1, qubits: 2 }

describe('Forecast.run()', () => {
  test('assumes 1 to 20 s for a QPU that has run almost nothing', () => {
    const forecast = new Forecast()
    expect(forecast.run(SIZE)).toEqual({ from: 1_000, to: 20_000, basis: 'assumed' })
    forecast.add({ ...SIZE, ms: 10, busyMs: 20 })
    expect(forecast.run(SIZE).basis).toBe('assumed')
  })

  test('expects of a program what it took before, scaled by the number of shots', () => {
    const forecast = new Forecast()
    for (let at = 0; at < 30; at += 1) {
      forecast.add({ ...SIZE, program: 'empty', shots: 1, ms: 100, busyMs: 110 })
      forecast.add({ ...SIZE, ms: 1_100 + (at % 3), busyMs: 1_200 })
    }
    const same = forecast.run(SIZE)
    expect(same).toMatchObject({ basis: 'same_program' })
    expect(same.from).toBeWithin(1_100, 1_102)
    expect(same.to).toBeWithin(1_102, 1_104)
    const twice = forecast.run({ ...SIZE, shots: 2_000 })
    expect(twice.from).toBeGreaterThan(2_080)
    expect(twice.to).toBeLessThan(2_120)
    expect(forecast.run({ ...SIZE, program: 'other' })).toMatchObject({ basis: 'recent_jobs' })
  })

  test('does not conclude from small jobs to one of many more qubits or shots', () => {
    const forecast = new Forecast()
    for (let at = 0; at < 40; at += 1) forecast.add({ ...SIZE, ms: 5, busyMs: 6 })
    const other = { ...SIZE, program: 'other' }
    expect(forecast.run(other).basis).toBe('recent_jobs')
    expect(forecast.run({ ...other, qubits: 25 }).basis).toBe('assumed')
    expect(forecast.run({ ...other, shots: 100_000 }).basis).toBe('assumed')
  })

  test('follows a QPU that has become slower', () => {
    const forecast = new Forecast()
    for (let at = 0; at < 100; at += 1) forecast.add({ ...SIZE, ms: 50, busyMs: 60 })
    for (let at = 0; at < 20; at += 1) forecast.add({ ...SIZE, ms: 500, busyMs: 600 })
    const { from, to } = forecast.run(SIZE)
    expect(from).toBeLessThanOrEqual(500)
    expect(to).toBeGreaterThanOrEqual(500)
  })
})
