import { describe, expect, test } from 'bun:test'
import type { SimulatedChip } from '../../../../src/devices/bench/simulated/simulated-chip.ts'
import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { drawChip } from '../../../../src/devices/bench/simulated/truth/draw-chip.ts'
import type { Schedule } from '../../../../src/devices/pulse/schedule.ts'
import { chipOf, EPOCH, quietTruth, rowDesign } from '../../../support/simulated-chip/chips.ts'
import {
  average,
  measured,
  PI_NS,
  populations,
  project,
  qubitOf,
  rotation,
  shots,
} from '../../../support/simulated-chip/experiments.ts'

const noisy = (count: number, seed = 1): ChipTruth => ({ ...quietTruth(count, seed), shots_noise: true })

/** A sweep of the amplitude of some qubits at once. */
function sweep(truth: ChipTruth, names: readonly string[], points = 6): Schedule[] {
  return Array.from({ length: points }, (_, index) => {
    const pulses = names.map((name) => rotation(truth, name, 0, index / points))
    return measured(truth, pulses, PI_NS, names)
  })
}

describe('the numbers of a program depend on its content only', () => {
  test('two chips of one truth give the same, two seeds do not', async () => {
    const truth = noisy(1)
    const [one, two] = [chipOf(truth).chip, chipOf(truth).chip]
    const first = await shots(one, sweep(truth, ['q0']), 50)
    expect(await shots(two, sweep(truth, ['q0']), 50)).toEqual(first)
    const other = chipOf({ ...truth, seed: 2 }).chip
    expect(await shots(other, sweep(truth, ['q0']), 50)).not.toEqual(first)
  })

  test('the order of points and programs changes nothing', async () => {
    const truth = noisy(1)
    const points = sweep(truth, ['q0'])
    const first = await average(chipOf(truth).chip, points)
    const reversed = await average(chipOf(truth).chip, points.toReversed())
    expect(reversed.toReversed()).toEqual([...first])
    const { chip } = chipOf(truth)
    const parts = []
    for (const point of points) parts.push(...(await average(chip, [point])))
    expect(parts).toEqual([...first])
  })

  test('a group gives every target what it gets alone', async () => {
    const truth = noisy(3)
    const alone = new Map<string, unknown>()
    for (const name of ['q0', 'q2']) {
      const results = await average(chipOf(truth).chip, sweep(truth, [name]))
      alone.set(
        name,
        results.map(([value]) => value),
      )
    }
    const grouped = await average(chipOf(truth).chip, sweep(truth, ['q0', 'q2']))
    expect(grouped.map(([value]) => value)).toEqual(alone.get('q0') as never)
    expect(grouped.map(([, value]) => value)).toEqual(alone.get('q2') as never)
  })

  test('a repetition within a second and one a second later have noise of their own', async () => {
    const truth = noisy(1)
    const { chip, clock } = chipOf(truth)
    const point = measured(truth, [], 0)
    const [first] = await average(chip, [point])
    const [second] = await average(chip, [point])
    await clock.advance(1000)
    const [third] = await average(chip, [point])
    expect(second).not.toEqual(first as never)
    expect(third).not.toEqual(first as never)
    expect(third).not.toEqual(second as never)
  })
})

test('an average is that of the shots, with the noise of their number', async () => {
  const truth = noisy(1)
  const { chip } = chipOf(truth)
  const point = measured(truth, [rotation(truth, 'q0', 0, 0.5)], PI_NS)
  const [[exact] = []] = await average(chipOf({ ...truth, shots_noise: false }).chip, [point])
  const [[every] = []] = await shots(chip, [point], 20_000)
  const mean = (values: Float64Array = new Float64Array()) =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const spread = 3 * qubitOf(truth, 'q0').readout.noise
  expect(Math.abs(mean(every?.i) - (exact?.re ?? 0))).toBeLessThan((4 * spread) / Math.sqrt(20_000))
  expect(Math.abs(mean(every?.q) - (exact?.im ?? 0))).toBeLessThan((4 * spread) / Math.sqrt(20_000))
})

describe('what a calibration has to find is visible in acquisitions', () => {
  const excitedAfterPi = async (chip: SimulatedChip, truth: ChipTruth, name = 'q0') => {
    const [value = 0] = await populations(chip, truth, [
      { pulses: [rotation(truth, name, 0), rotation(truth, name, 2 * PI_NS)], end: 3 * PI_NS },
    ])
    return value
  }
  const contrast = async (chip: SimulatedChip, truth: ChipTruth, name = 'q0') => {
    const [zero, one] = await average(chip, [
      measured(truth, [], PI_NS, [name]),
      measured(truth, [rotation(truth, name, 0)], PI_NS, [name]),
    ])
    return Math.hypot((one?.[0]?.re ?? 0) - (zero?.[0]?.re ?? 0), (one?.[0]?.im ?? 0) - (zero?.[0]?.im ?? 0))
  }
  const depth = async (chip: SimulatedChip, truth: ChipTruth) => {
    const { frequency } = qubitOf(truth, 'q0').readout
    const values = await average(
      chip,
      [0, 20e6].map((offset) =>
        measured(truth, [], 0, ['q0'], { frequency: frequency + offset, from: 9000, length: 200 }),
      ),
    )
    const [on = 0, off = 1] = values.map(([value]) => Math.hypot(value?.re ?? 0, value?.im ?? 0))
    return 1 - on / off
  }

  test('dead resonators and drive lines', async () => {
    const truth = quietTruth(1)
    expect(await depth(chipOf(truth).chip, truth)).toBeGreaterThan(0.5)
    expect(await contrast(chipOf(truth).chip, truth)).toBeGreaterThan(1e-3)
    const dead = (part: 'resonator' | 'drive') => {
      const event = { kind: 'dead', at: EPOCH, target: 'q0', part } as const
      return chipOf({ ...truth, events: [event] }).chip
    }
    expect(Math.abs(await depth(dead('resonator'), truth))).toBeLessThan(0.01)
    expect(await contrast(dead('drive'), truth)).toBeLessThan(1e-12)
  })

  test('a stuck coupler, and currents that move the transmons', async () => {
    const truth = quietTruth(2)
    const moved = async (chip: SimulatedChip) => {
      const signal = new AbortController().signal
      await chip.currents.ramp('q0_q1', 1.2e-3, { rate: 1, signal })
      return excitedAfterPi(chip, truth)
    }
    const still = await excitedAfterPi(chipOf(truth).chip, truth)
    const stuck = chipOf({
      ...truth,
      events: [{ kind: 'dead', at: EPOCH, target: 'q0_q1', part: 'coupler' }],
    })
    expect(still).toBeLessThan(0.05)
    expect(Math.abs((await moved(stuck.chip)) - still)).toBeLessThan(1e-9)
    expect(Math.abs((await moved(chipOf(truth).chip)) - still)).toBeGreaterThan(0.05)
  })

  test('two qubits on one frequency, a step and a defect', async () => {
    const truth = quietTruth(2)
    const events: ChipTruth['events'] = [{ kind: 'same_frequency', at: EPOCH, target: 'q0', as: 'q1' }]
    expect(await contrast(chipOf({ ...truth, events }).chip, truth)).toBeLessThan(
      0.01 * (await contrast(chipOf(truth).chip, truth)),
    )
    const later = new Date(Date.parse(EPOCH) + 60_000).toISOString()
    const step = { kind: 'step', at: later, target: 'q0', field: 'f01', by: 4e6 } as const
    const { chip, clock } = chipOf({ ...truth, events: [step] })
    const before = await contrast(chip, truth)
    expect(before).toBe(await contrast(chipOf(truth).chip, truth))
    await clock.advance(61_000)
    expect(await contrast(chip, truth)).toBeLessThan(0.97 * before)
    const defective = structuredClone(truth)
    const { f01 } = qubitOf(truth, 'q0')
    qubitOf(defective, 'q0').defect = { frequency: f01, width: 1e6, decay: 3e4 }
    const late = (chipTruth: ChipTruth) =>
      populations(chipOf(chipTruth).chip, chipTruth, [
        { pulses: [rotation(truth, 'q0', 0)], end: PI_NS + 20_000 },
      ])
    const [healthy = 0] = await late(truth)
    const [ill = 0] = await late(defective)
    expect(ill).toBeLessThan(0.8 * healthy)
  })

  test('a frequency that switches beats in a Ramsey fringe', async () => {
    const truth = quietTruth(1)
    Object.assign(qubitOf(truth, 'q0'), { t2_star: 100e-6, t2_echo: 100e-6, t1: 100e-6 })
    const switching = structuredClone(truth)
    qubitOf(switching, 'q0').switching = { shift: 200e3, dwell: 1 }
    const delay = 2500
    const fringe = (chipTruth: ChipTruth) =>
      populations(chipOf(chipTruth).chip, chipTruth, [
        { pulses: [0, delay].map((at) => rotation(truth, 'q0', at, 0.5)), end: delay + PI_NS },
      ])
    // After half a period of the difference both values cancel.
    const [steady = 0] = await fringe(truth)
    const [beating = 0] = await fringe(switching)
    expect(steady).toBeGreaterThan(0.9)
    expect(Math.abs(beating - 0.5)).toBeLessThan(0.06)
  })

  test('a thermal cycle: nothing while it is warm, other values afterwards', async () => {
    const truth = quietTruth(1)
    const event = { kind: 'thermal_cycle', at: EPOCH, hours: 1 } as const
    const { chip, clock } = chipOf({ ...truth, events: [event] })
    expect(Math.abs(await depth(chip, truth))).toBeLessThan(0.01)
    await clock.advance(3_601_000)
    expect(await depth(chip, truth)).toBeGreaterThan(0.2)
    expect(await contrast(chip, truth)).not.toBeCloseTo(await contrast(chipOf(truth).chip, truth), 5)
  })

  test('residual population, and 2 after strong readout', async () => {
    const truth = quietTruth(1)
    const thermal = structuredClone(truth)
    qubitOf(thermal, 'q0').thermal = 0
    const ground = measured(truth, [], PI_NS)
    const [[warm] = []] = await average(chipOf(truth).chip, [ground])
    const [[zero] = [], [one] = []] = await average(chipOf(thermal).chip, [
      ground,
      measured(truth, [rotation(truth, 'q0', 0)], PI_NS),
    ])
    if (!warm || !zero || !one) throw new Error('no results')
    expect(project(warm, zero, one)).toBeCloseTo(qubitOf(truth, 'q0').thermal, 2)
    const calm = structuredClone(truth)
    qubitOf(calm, 'q0').readout.induced = 0
    const strong = { amplitude: Math.min(1, 2 * qubitOf(truth, 'q0').readout.critical_amplitude) }
    const excited = measured(truth, [rotation(truth, 'q0', 0)], PI_NS, ['q0'], strong)
    const [[induced] = []] = await average(chipOf(truth).chip, [excited])
    const [[undisturbed] = []] = await average(chipOf(calm).chip, [excited])
    expect(induced).not.toEqual(undisturbed)
  })

  test('crosstalk of readout and of drives', async () => {
    const truth = quietTruth(2)
    const leaky = structuredClone(truth)
    for (const line of Object.values(leaky.readout_lines)) line.crosstalk = 0.02
    const both = [measured(truth, [], 0, ['q0', 'q1'])]
    const [[clean] = []] = await average(chipOf(truth).chip, both)
    const [[leaked] = []] = await average(chipOf(leaky).chip, both)
    const [[alone] = []] = await average(chipOf(leaky).chip, [measured(truth, [], 0, ['q0'])])
    expect(alone).toEqual(clean)
    expect(leaked).not.toEqual(clean)
    // A neighbor on the same frequency turns the qubit along.
    const near = structuredClone(truth)
    const edge = near.edges['q0_q1']
    if (edge) edge.drive_leak = [0.02, 0.02]
    qubitOf(near, 'q0').f01 = qubitOf(near, 'q1').f01 + 1e5
    const pulses = Array.from({ length: 10 }, (_, k) => rotation(near, 'q1', k * PI_NS))
    const [moved = 0] = await populations(chipOf(near).chip, near, [{ pulses, end: 10 * PI_NS }])
    expect(moved).toBeGreaterThan(0.02)
  })

  test('a failing current source', async () => {
    const truth = quietTruth(2)
    const fault = { kind: 'source_fault', at: EPOCH, sample: 3 } as const
    const { chip } = chipOf({ ...truth, events: [fault] })
    const start = await chip.currents.read('q0_q1')
    const { signal } = new AbortController()
    expect(chip.currents.ramp('q0_q1', start + 1e-5, { rate: 1e-3, signal })).rejects.toThrow(
      'does not respond (q0_q1)',
    )
  })
})

test('chips of many seeds have both hands, mirrored lines and defects', () => {
  const truths = Array.from({ length: 20 }, (_, seed) => drawChip(rowDesign(3), { seed, epoch: EPOCH }))
  const hands = new Set(truths.map(({ hand }) => hand))
  expect(hands).toEqual(new Set([1, -1]))
  const mirrored = new Set(truths.map((truth) => truth.readout_lines['line_0']?.mirrored))
  expect(mirrored).toEqual(new Set([true, false]))
  const qubits = truths.flatMap((truth) => Object.values(truth.qubits))
  expect(qubits.filter(({ defect }) => defect).length).toBeGreaterThan(5)
  expect(qubits.filter(({ switching }) => switching).length).toBeGreaterThan(5)
  expect(qubits.every(({ t1, t2_echo, t2_star }) => t2_star < t2_echo && t2_echo < 2 * t1)).toBe(true)
})

test('an abort stops a program between points', async () => {
  const truth = quietTruth(1)
  const { chip } = chipOf(truth)
  const controller = new AbortController()
  const points = Array.from({ length: 2000 }, (_, k) =>
    measured(truth, [rotation(truth, 'q0', 0, k / 2000)], PI_NS),
  )
  const running = chip.run({ kind: 'average', shots: 10, reset_ns: 0, points }, controller.signal)
  controller.abort(new Error('stopped'))
  expect(running).rejects.toThrow('stopped')
})

test('a qubit that the chip lacks is named', async () => {
  const { chip } = chipOf(quietTruth(1))
  const window = { at: 0, duration: 100, port: 'q9:res', frequency: 6e9, qubit: 'q9' } as const
  expect(average(chip, [{ duration: 100, pulses: [], acquisitions: [window] }])).rejects.toThrow(
    'no qubit q9',
  )
})
