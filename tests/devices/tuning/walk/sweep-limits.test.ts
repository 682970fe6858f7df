import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { silentLog } from '../../../../src/base/index.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { readHardwareFile } from '../../../../src/devices/chip/hardware/hardware-file.ts'
import { chipValuesOf } from '../../../../src/devices/tuning/chip-values.ts'
import {
  acquire,
  defineRoutine,
  type Routine,
  RoutineError,
  type SweepRange,
} from '../../../../src/devices/tuning/routine.ts'
import { type Axis, ROUTINES } from '../../../../src/devices/tuning/routine-names.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { readsTogether, sweepLimitsOf } from '../../../../src/devices/tuning/run/hardware-limits.ts'
import { resolveAxis } from '../../../../src/devices/tuning/walk/axis.ts'
import type { RoutineSettings } from '../../../../src/devices/tuning/walk/context.ts'
import { RunCurrents } from '../../../../src/devices/tuning/walk/run-currents.ts'
import { runNode } from '../../../../src/devices/tuning/walk/run-node.ts'
import { RunValues } from '../../../../src/devices/tuning/walk/run-values.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { RecordingInstrument, RecordingMover, windowOf } from '../../../support/tuning/scripted.ts'

const example = (name: string) => readFileSync(join(import.meta.dir, '../../../../examples', name), 'utf8')
const file = readDeviceFile(example('scheduler.device.yml'))
const hardware = readHardwareFile(example('scheduler.hardware.json'))
if ('problems' in file || 'problems' in hardware) throw new Error('an example is invalid')
const { chip } = file
const couplers = new RecordingMover(['q0_q1'])
const instrument = new RecordingInstrument()
const limits = sweepLimitsOf(chip, { couplers, hardware })
const signal = new AbortController().signal

/** A routine that sweeps one axis and fails until its last attempt. */
function sweeping(routine: string, axis: string, ranges: readonly SweepRange[], of?: string) {
  const swept: number[][] = []
  const declared = BUILT_IN_ROUTINES.find(({ name }) => name === routine)
  const measured = defineRoutine({
    ...{ name: routine, kind: declared?.kind ?? 'edge', writes: ['a'], size: { points: 1, shots: 1 } },
    *measure({ axis: take, attempt, parent }) {
      swept.push([...take(axis, ranges[attempt.number - 1] ?? { start: 0, stop: 1, points: 2 }, of).values])
      yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points: [windowOf(parent.name)] })
      if (attempt.number < ranges.length) throw new RoutineError('no_signal', 'nothing seen')
      return {}
    },
  })
  return { swept, measured }
}

async function run(routine: Routine, target: string, given: RoutineSettings['axis'] = () => undefined) {
  const [outcome] = await runNode(routine, [target], {
    ...{ instrument, currents: new RunCurrents(couplers, 'run', signal), clock: new FakeClock() },
    ...{ values: new RunValues(chipValuesOf(chip)), log: silentLog, signal, limits },
    ...{ maxAttempts: 3, timeoutS: 900 },
    settingsOf: () => ({ axis: given, number: () => undefined }),
  })
  return outcome
}

describe('the sweeps of a run', () => {
  test('cut a frequency to what the line of the qubit plays, and say so where they end there', async () => {
    const around = (half: number) => ({ start: 4.42e9 - half, stop: 4.42e9 + half, points: 201 })
    const ranges = [around(20e6), around(300e6), around(500e6)]
    const { swept, measured } = sweeping('qubit_01_spectroscopy', 'frequency', ranges)
    const outcome = await run(measured, 'q0')
    expect(swept.map((values) => [values[0], values.at(-1)])).toEqual([
      ...[
        [4.4e9, 4.44e9],
        [4.12e9, 4.72e9],
      ],
      // The oscillator of q0:mw is at 4.35 GHz.
      [3.92e9, 4.85e9],
    ])
    expect(outcome?.remarks).toEqual(['frequency swept from 3.92 GHz to 4.85 GHz, cut to what q0:mw plays'])
    const steps = swept.map((values) => (values[1] ?? 0) - (values[0] ?? 0))
    expect(steps[2]).toBeCloseTo(5e6, -5)
  })

  test('try the derived range when the given one lies beyond the hardware', async () => {
    const range = { start: 4.4e9, stop: 4.44e9, points: 3 }
    const { swept, measured } = sweeping('qubit_01_spectroscopy', 'frequency', [range, range])
    const outcome = await run(measured, 'q0', () => ({ start: 5.1e9, stop: 5.3e9, points: 11 }))
    expect(swept).toEqual([[4.4e9, 4.42e9, 4.44e9]])
    expect([outcome?.attempts, outcome?.error]).toEqual([2, undefined])
    const beyond = sweeping('qubit_01_spectroscopy', 'frequency', [{ start: 5.1e9, stop: 5.3e9, points: 5 }])
    const failed = await run(beyond.measured, 'q0')
    expect(failed?.error?.code).toBe('out_of_range')
    expect(
      (
        await run(
          sweeping('punchout', 'frequency', [{ start: 7.05e9, stop: 7.2e9, points: 50 }]).measured,
          'q0',
        )
      )?.remarks,
    ).toEqual(['frequency swept from 7.05 GHz to 7.1 GHz, cut to what q0:res plays'])
  })

  test('name both ranges of a sweep that lies beyond the hardware', async () => {
    const range = { start: 5.1e9, stop: 5.3e9, points: 5 }
    const { measured } = sweeping('qubit_01_spectroscopy', 'frequency', [range, range, range, range])
    expect((await run(measured, 'q0'))?.error?.message).toBe(
      'frequency from 5.1 GHz to 5.3 GHz lies beyond what q0:mw plays, 3.85 GHz to 4.85 GHz',
    )
  })

  test('cut the drive of a second transition, which shares its output with the first', async () => {
    const range = { start: 3.8e9, stop: 4.3e9, points: 301 }
    const { swept, measured } = sweeping('qubit_12_spectroscopy', 'frequency', [range])
    await run(measured, 'q0')
    expect(swept[0]?.[0]).toBe(3.85e9)
  })

  test('cut a coupling to the band of a baseband output, and qubits of an edge each to its own', async () => {
    const gap = { start: 4.8e8, stop: 5.1e8, points: 31 }
    const coupling = sweeping('cz_chevron', 'frequency', [gap])
    const outcome = await run(coupling.measured, 'q0_q1')
    expect(coupling.swept[0]?.at(-1)).toBe(5e8)
    expect(outcome?.remarks[0]).toContain('cut to what q0_q1:fl plays')
    const qubits = { start: 4.8e9, stop: 5.4e9, points: 61 }
    const [parent, child] = ['q0', 'q1'].map((of) =>
      sweeping('coupler_anticrossing', 'frequency', [qubits], of),
    )
    await run(parent?.measured as Routine, 'q0_q1')
    await run(child?.measured as Routine, 'q0_q1')
    expect([parent?.swept[0]?.at(-1), child?.swept[0]?.at(-1)]).toEqual([4.85e9, 5.35e9])
  })

  test('cut a current to the range of its source, and an amplitude to full scale', async () => {
    const current = sweeping('coupler_anticrossing', 'current', [{ start: -3e-3, stop: 3e-3, points: 61 }])
    const outcome = await run(current.measured, 'q0_q1')
    expect([current.swept[0]?.[0], current.swept[0]?.at(-1)]).toEqual([-2.5e-3, 2.5e-3])
    expect(outcome?.remarks).toEqual([
      'current swept from -2.5 mA to 2.5 mA, cut to what the current source of q0_q1 holds',
    ])
    const factor = sweeping('n_rabi_oscillations', 'amplitude', [{ start: 0.5, stop: 3, points: 51 }])
    await run(factor.measured, 'q0')
    // amp180 of q0 is 0.5.
    expect(factor.swept[0]?.at(-1)).toBe(2)
    const absolute = sweeping('rabi_oscillations', 'amplitude', [{ start: 0, stop: 1.4, points: 71 }])
    await run(absolute.measured, 'q0')
    expect(absolute.swept[0]?.at(-1)).toBe(1)
  })

  test('have a line for every axis of carriers', () => {
    const axes = ROUTINES.flatMap(({ name, axes: all }) =>
      Object.entries(all as Record<string, Axis>).map(([axis, each]) => ({ name, axis, ...each })),
    )
    const carriers = axes.filter(({ unit, min }) => unit === 'Hz' && min >= 0)
    expect(carriers.length).toBeGreaterThan(8)
    expect(carriers.filter(({ line }) => line === undefined)).toEqual([])
  })
})

test('resolveAxis() keeps every value within the limit, in order and no further apart', () => {
  const number = fc.double({ min: 1, max: 1_000, noNaN: true })
  const pair = fc.tuple(number, number).filter(([one, other]) => Math.abs(one - other) > 1e-3)
  fc.assert(
    fc.property(
      pair,
      pair,
      fc.integer({ min: 2, max: 300 }),
      fc.constantFrom('lin', 'log'),
      (range, limit, points, scale) => {
        const [start, stop] = [Math.min(...range), Math.max(...range)]
        const [min, max] = [Math.min(...limit), Math.max(...limit)]
        const derived = { start, stop, points, scale } as SweepRange
        const whole = [...resolveAxis('x', undefined, derived).values]
        const { values, isCut } = resolveAxis('x', undefined, derived, { min, max })
        expect(isCut).toBe(start < min || stop > max)
        expect(values.length > 0).toBe(start < max && stop > min)
        expect(values.every((value) => value >= min && value <= max)).toBe(true)
        const distances = (all: readonly number[]) =>
          all.slice(1).map((value, at) => {
            const before = all[at] ?? 0
            return scale === 'log' ? Math.log(value / before) : value - before
          })
        const largest = Math.max(...distances(whole))
        for (const distance of distances([...values])) {
          expect(distance).toBeGreaterThanOrEqual(0)
          expect(distance).toBeLessThanOrEqual(largest * (1 + 1e-9))
        }
      },
    ),
  )
})

test('qubits of one readout line are read together only within its band', () => {
  const at = (q1: number | undefined) => {
    const values = new RunValues(chipValuesOf(chip))
    values.set('q0', 'clock_freqs.readout', 6.2e9)
    values.set('q1', 'clock_freqs.readout', q1 ?? Number.NaN)
    return (used: typeof hardware | undefined) => readsTogether(chip, { hardware: used }, values)('q0', 'q1')
  }
  expect([at(7.2e9)(hardware), at(7.21e9)(hardware), at(undefined)(hardware)]).toEqual([true, false, false])
  // Nobody knows the lines without a hardware file.
  expect(at(7.21e9)(undefined)).toBe(true)
  const apart = readHardwareFile(
    example('scheduler.hardware.json')
      .replace('["q0:res", "q1:res",', '["q0:res",')
      .replace(
        '["cluster0.module6.real_output_0"',
        '["cluster0.module6.complex_output_1", "q1:res"],\n["cluster0.module6.real_output_0"',
      ),
  )
  expect('problems' in apart ? apart.problems : at(7.21e9)(apart)).toBe(true)
})
