import { describe, expect, test } from 'bun:test'
import type { ChipTruth, EdgeTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { Pulse } from '../../../../src/devices/pulse/schedule.ts'
import { chipOf, losslessTruth, quietTruth } from '../../../support/simulated-chip/chips.ts'
import {
  average,
  measured,
  PI_NS,
  piAmplitude,
  populations,
  qubitOf,
  rotation,
  trace,
} from '../../../support/simulated-chip/experiments.ts'

function expectClose(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  expect(actual).toHaveLength(expected.length)
  for (const [index, value] of expected.entries())
    expect(Math.abs((actual[index] ?? Number.NaN) - value)).toBeLessThan(tolerance)
}

const PLAIN = { shape: 'gaussian', motzoi: 0 } as const

const steps = (count: number, step: number) => Array.from({ length: count }, (_, index) => index * step)

test('a Rabi oscillation follows the area of the pulse', async () => {
  const truth = losslessTruth(1)
  const { chip } = chipOf(truth)
  const duration = 400
  const pi = piAmplitude(qubitOf(truth, 'q0'), duration)
  const amplitudes = steps(13, pi / 4)
  const actual = await populations(
    chip,
    truth,
    amplitudes.map((amplitude) => ({
      pulses: [{ ...rotation(truth, 'q0', 0), duration, amplitude, envelope: PLAIN }],
      end: duration,
    })),
  )
  expectClose(
    actual,
    amplitudes.map((amplitude) => Math.sin((Math.PI * amplitude) / (2 * pi)) ** 2),
    5e-3,
  )
})

test('a Ramsey fringe has the frequency of the detuning, and its sign by the phase', async () => {
  const truth = losslessTruth(1)
  const { chip } = chipOf(truth)
  const detuning = 200e3
  const delays = steps(9, 500)
  const fringe = (phase: number) =>
    populations(
      chip,
      truth,
      delays.map((delay) => {
        const half = { ...rotation(truth, 'q0', 0, 0.5), frequency: qubitOf(truth, 'q0').f01 - detuning }
        return { pulses: [half, { ...half, at: PI_NS + delay, phase }], end: 2 * PI_NS + delay }
      }),
    )
  const turns = (delay: number) => 2 * Math.PI * detuning * (delay + PI_NS) * 1e-9
  expectClose(
    await fringe(0),
    delays.map((delay) => (1 + Math.cos(turns(delay))) / 2),
    0.02,
  )
  // The phase of the line turns with the hand of the chip, the detuning does not.
  expectClose(
    await fringe(truth.hand * (Math.PI / 2)),
    delays.map((delay) => (1 + Math.cos(turns(delay) - Math.PI / 2)) / 2),
    0.02,
  )
})

test('the derivative of a pulse removes its error where its sign fits the hand of the chip', async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const truth = losslessTruth(1, seed)
    const { chip } = chipOf(truth)
    const pi = rotation(truth, 'q0', 0)
    const motzoi = pi.envelope.shape === 'gaussian' ? pi.envelope.motzoi : 0
    const train = (sign: number) => {
      const one: Pulse = { ...pi, envelope: { shape: 'gaussian', motzoi: sign * motzoi } }
      // Pairs of opposite rotations leave only what the derivative should remove.
      const pulses = Array.from({ length: 10 }, (_, k) => ({
        ...one,
        at: k * PI_NS,
        phase: (k % 2) * Math.PI,
      }))
      return { pulses, end: 10 * PI_NS }
    }
    const [right = 1, none = 0, wrong = 0] = await populations(chip, truth, [train(1), train(0), train(-1)])
    expect(right).toBeLessThan(0.01)
    expect(none).toBeGreaterThan(5 * right)
    expect(wrong).toBeGreaterThan(none)
  }
})

test('T1, T2* and T2 echo are those of the truth', async () => {
  const truth = quietTruth(1)
  const { chip } = chipOf(truth)
  const { t1, t2_star, t2_echo } = qubitOf(truth, 'q0')
  const half = (at: number) => rotation(truth, 'q0', at, 0.5)
  const at = (time: number) => Math.round(time * 1e9)
  const [relaxed = 0, late = 0] = await populations(chip, truth, [
    { pulses: [rotation(truth, 'q0', 0)], end: PI_NS + at(t1) },
    { pulses: [rotation(truth, 'q0', 0)], end: PI_NS + at(3 * t1) },
  ])
  expectClose([relaxed, late], [Math.exp(-1), Math.exp(-3)], 2e-3)
  const [start = 0, dephased = 0, unechoed = 0, echoed = 0] = await populations(chip, truth, [
    { pulses: [half(0), half(PI_NS)], end: 2 * PI_NS },
    { pulses: [half(0), half(at(t2_star))], end: at(t2_star) + PI_NS },
    { pulses: [half(0), rotation(truth, 'q0', 100), half(200)], end: 256 },
    {
      pulses: [half(0), rotation(truth, 'q0', at(t2_echo / 2)), half(at(t2_echo))],
      end: at(t2_echo) + PI_NS,
    },
  ])
  // Both fringes decay to the middle of the references.
  expect((dephased - 0.49) / (start - 0.49)).toBeCloseTo(Math.exp(-1), 1)
  expect((echoed - 0.49) / (unechoed - 0.49)).toBeCloseTo(Math.exp(-1), 1)
})

describe('the chevron of a coupler pulse', () => {
  /** Population of the lower transmon after the pulse: that of |11⟩, because |20⟩ has it in 0. */
  async function chevron(
    truth: ChipTruth,
    pulseOf: (detuning: number) => Partial<Pulse>,
    detuning: number,
    times: number[],
  ) {
    const { chip } = chipOf(truth)
    const edge = edgeOf(truth)
    const sequences = times.map((duration) => {
      const pulse: Pulse = {
        at: PI_NS,
        duration,
        port: 'q0_q1:fl',
        frequency: 0,
        phase: 0,
        amplitude: 0.5,
        envelope: { shape: 'square' },
        ...pulseOf(detuning),
      }
      const pulses = [rotation(truth, 'q0', 0), rotation(truth, 'q1', 0), pulse]
      return { pulses, end: PI_NS + duration }
    })
    return populations(chip, truth, sequences, edge.low)
  }

  function edgeOf(truth: ChipTruth): EdgeTruth {
    const edge = truth.edges['q0_q1']
    if (!edge) throw new Error('no edge')
    return edge
  }

  function gapOf(truth: ChipTruth): number {
    const { high, low } = edgeOf(truth)
    const { f01, anharmonicity } = qubitOf(truth, high)
    return Math.abs(f01 - qubitOf(truth, low).f01 + anharmonicity)
  }

  const expected = (coupling: number, detuning: number, times: number[]) => {
    const rate = Math.hypot(2 * coupling, detuning)
    return times.map((t) => 1 - ((4 * coupling ** 2) / rate ** 2) * Math.sin(Math.PI * rate * t * 1e-9) ** 2)
  }

  const times = [8, 24, 40, 56, 72, 88, 120, 160, 200]

  test.each([-6e6, 0, 3e6])('parametric, off by %d Hz', async (detuning) => {
    const truth = losslessTruth(2)
    const edge = edgeOf(truth)
    const amplitude = 0.5
    const resonance = gapOf(truth) + edge.shift * amplitude ** 2
    const actual = await chevron(truth, (off) => ({ frequency: resonance + off, amplitude }), detuning, times)
    expectClose(actual, expected(edge.exchange * amplitude, detuning, times), 0.01)
  })

  test.each([-6e6, 0, 3e6])('baseband, off by %d Hz', async (detuning) => {
    const truth = losslessTruth(2, 3, 'baseband')
    const edge = edgeOf(truth)
    const amplitudeAt = (off: number) => Math.sqrt((gapOf(truth) + off) / -edge.shift)
    const actual = await chevron(truth, (off) => ({ amplitude: amplitudeAt(off) }), detuning, times)
    expectClose(actual, expected(edge.exchange, detuning, times), 0.01)
  })
})

describe('the line of a resonator', () => {
  const settled = { from: 12_000, length: 200 }

  test.each([1, 2, 3, 4])('is a notch of the linewidth, seed %d', async (seed) => {
    const truth = losslessTruth(1, seed)
    const { chip } = chipOf(truth)
    const { readout } = qubitOf(truth, 'q0')
    const amplitude = readout.critical_amplitude / 1000
    const offsets = [-2, -0.5, -0.2, 0, 0.2, 0.5, 2].map((share) => share * readout.linewidth)
    const points = offsets.map((offset) =>
      measured(truth, [], 0, ['q0'], { ...settled, amplitude, frequency: readout.frequency + offset }),
    )
    const values = await average(chip, points)
    const mirrored = truth.readout_lines['line_0']?.mirrored ? -1 : 1
    const magnitudes = values.map(([value]) => Math.hypot(value?.re ?? 0, value?.im ?? 0))
    const notch = offsets.map((offset) => {
      const x = (mirrored * 2 * offset) / readout.linewidth
      const [re, im] = [
        readout.depth * Math.cos(readout.asymmetry),
        readout.depth * Math.sin(readout.asymmetry),
      ]
      // 1 − d / (1 + i x), by real and imaginary part.
      const square = 1 + x * x
      return amplitude * readout.gain * Math.hypot(1 - (re + im * x) / square, (im - re * x) / square)
    })
    expectClose(
      magnitudes.map((value, index) => value / (notch[index] ?? 1)),
      offsets.map(() => 1),
      5e-3,
    )
  })

  test('moves towards the bare resonator with power, and by the level', async () => {
    const truth = losslessTruth(1)
    const line = truth.readout_lines['line_0']
    if (line) line.mirrored = false
    const { chip } = chipOf(truth)
    const { readout } = qubitOf(truth, 'q0')
    readout.asymmetry = 0
    const minimumAt = async (amplitude: number, isExcited: boolean) => {
      const offsets = steps(81, 20e3).map((offset) => offset - 1.2e6)
      const pulses = isExcited ? [rotation(truth, 'q0', 0)] : []
      const points = offsets.map((offset) =>
        measured(truth, pulses, PI_NS, ['q0'], {
          ...settled,
          amplitude,
          frequency: readout.frequency + offset,
        }),
      )
      const magnitudes = (await average(chip, points)).map(([value]) =>
        Math.hypot(value?.re ?? 0, value?.im ?? 0),
      )
      return offsets[magnitudes.indexOf(Math.min(...magnitudes))] ?? 0
    }
    const weak = readout.critical_amplitude / 100
    expect(Math.abs(await minimumAt(weak, false))).toBeLessThanOrEqual(20e3)
    expect(Math.abs((await minimumAt(weak, true)) - readout.pulls[0])).toBeLessThanOrEqual(20e3)
    const strong = 30 * readout.critical_amplitude
    expect(Math.abs((await minimumAt(Math.min(1, strong), false)) + readout.lamb_shift)).toBeLessThan(0.35e6)
  })

  test('a trace starts after the delay of the line', async () => {
    const truth = losslessTruth(1)
    const { chip } = chipOf(truth)
    const [[values] = []] = await trace(chip, [
      measured(truth, [], 100, ['q0'], { from: 0, length: 1000, amplitude: 0.1 }),
    ])
    const delay = Math.round((truth.readout_lines['line_0']?.delay ?? 0) * 1e9)
    const magnitude = (t: number) => Math.hypot(values?.i[t] ?? 0, values?.q[t] ?? 0)
    expect(magnitude(delay - 2)).toBe(0)
    expect(magnitude(delay + 2)).toBeGreaterThan(0.05 * qubitOf(truth, 'q0').readout.gain)
  })
})

test('a flux pulse that settles slowly misses the resonance of a baseband gate', async () => {
  const truth = losslessTruth(2, 3, 'baseband')
  const edge = truth.edges['q0_q1']
  if (!edge) throw new Error('no edge')
  const [high, low] = [qubitOf(truth, edge.high), qubitOf(truth, edge.low)]
  const amplitude = Math.sqrt(Math.abs(high.f01 - low.f01 + high.anharmonicity) / -edge.shift)
  const duration = Math.round(1e9 / (2 * edge.exchange))
  const returned = async (chipTruth: ChipTruth) => {
    const pulse: Pulse = {
      ...rotation(truth, 'q0', PI_NS),
      duration,
      port: 'q0_q1:fl',
      frequency: 0,
      amplitude,
      envelope: { shape: 'square' },
    }
    const pulses = [rotation(truth, 'q0', 0), rotation(truth, 'q1', 0), pulse]
    return populations(chipOf(chipTruth).chip, chipTruth, [{ pulses, end: PI_NS + duration }], edge.low)
  }
  const distorted = structuredClone(truth)
  const other = distorted.edges['q0_q1']
  if (other) other.distortion = { amplitude: 0.03, tau: 200 }
  const [clean = 0] = await returned(truth)
  const [slow = 1] = await returned(distorted)
  expect(clean).toBeGreaterThan(0.98)
  expect(Math.abs(slow - clean)).toBeGreaterThan(0.05)
})
