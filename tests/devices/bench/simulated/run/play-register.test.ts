import { describe, expect, test } from 'bun:test'
import type { SimulatedChip } from '../../../../../src/devices/bench/simulated/simulated-chip.ts'
import type { ChipTruth } from '../../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { Pulse, Schedule } from '../../../../../src/devices/pulse/schedule.ts'
import { chipOf, losslessTruth } from '../../../../support/simulated-chip/chips.ts'
import { average, measured, rotation, shots } from '../../../../support/simulated-chip/experiments.ts'

/** All couplers of a row pulsed at one time, as often as is said, and the first qubit read. */
function joined(truth: ChipTruth, times = 1): Schedule {
  const pulses = Array.from({ length: times }, (_, time) =>
    Object.keys(truth.edges).map(
      (name): Pulse => ({
        ...{
          at: 60 + 40 * time,
          duration: 40,
          port: `${name}:fl`,
          frequency: 150e6,
          phase: 0,
          amplitude: 0.1,
        },
        envelope: { shape: 'square' },
      }),
    ),
  ).flat()
  return measured(truth, [rotation(truth, 'q0', 0, 0.5), ...pulses], 80 + 40 * times)
}

function errorOf(chip: SimulatedChip, schedule: Schedule, count: number): Promise<unknown> {
  return shots(chip, [schedule], count).then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('a register that is too large', () => {
  test('is refused with the most qubits that can be joined', async () => {
    const truth = losslessTruth(12)
    const error = await errorOf(chipOf(truth).chip, joined(truth), 1)
    expect(String(error)).toMatch(
      /points: gates join 12 qubits \(q\d+(, q\d+){11}\); the simulated chip keeps the state of at most 11$/,
    )
  })

  test('is refused with the most shots that it can have', async () => {
    const truth = losslessTruth(10)
    // What damping strikes is played alone, and after so many pulses no qubit is read before all are joined.
    for (const qubit of Object.values(truth.qubits))
      Object.assign(qubit, { t1: 1e-6, t2_star: 1e-6, t2_echo: 1e-6 })
    const error = await errorOf(chipOf(truth).chip, joined(truth, 20), 1_000_000)
    expect(String(error)).toMatch(
      /shots: the simulated chip takes at most \d+ shots of this circuit of 10 joined qubits, got 1000000$/,
    )
  })
})

test('means of a register need no more shots than tell them', async () => {
  const truth = losslessTruth(3)
  const { chip } = chipOf(truth)
  const [mean] = await average(chip, [joined(truth)], 1_000_000)
  const [drawn] = await shots(chip, [joined(truth)], 1_000)
  const q = drawn?.[0]?.q ?? new Float64Array()
  const spread = Math.max(...q) - Math.min(...q)
  const ofShots = q.reduce((sum, value) => sum + value, 0) / q.length
  expect(Math.abs((mean?.[0]?.im ?? 0) - ofShots)).toBeLessThan(0.05 * spread)
})

test('coherence ends where a transmon is measured, also in means', async () => {
  const truth = losslessTruth(1)
  const half = (at: number) => rotation(truth, 'q0', at, 0.5)
  const once = measured(truth, [half(0), half(4_000)], 4_100)
  const { pulses, acquisitions } = measured(truth, [], 200)
  const twice = {
    ...once,
    pulses: [...once.pulses, ...pulses],
    acquisitions: [...acquisitions, ...once.acquisitions],
  }
  const references = [measured(truth, [], 0), measured(truth, [rotation(truth, 'q0', 0)], 60)]
  const [zero, one, both, still] = await average(chipOf(truth).chip, [...references, twice, once])
  const place = (value: { re: number } | undefined) =>
    ((value?.re ?? 0) - (zero?.[0]?.re ?? 0)) / ((one?.[0]?.re ?? 0) - (zero?.[0]?.re ?? 0))
  expect(place(both?.[1])).toBeCloseTo(0.5, 2)
  expect(Math.abs(place(still?.[0]) - 0.5)).toBeGreaterThan(0.3)
})
