import { expect, test } from 'bun:test'
import { sampleEnvelope } from '../../../src/devices/pulse/envelope.ts'

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0)

test('a Gaussian has the area of its sigma less a pedestal, and an odd derivative', () => {
  const { i, q } = sampleEnvelope({ shape: 'gaussian', motzoi: 0.2 }, 56)
  const sigma = 56 / 8
  const pedestal = (Math.exp(-8) + Math.exp(-((27 / sigma) ** 2) / 2)) / 2
  expect(sum(i)).toBeCloseTo(sigma * Math.sqrt(2 * Math.PI) - 56 * pedestal, 2)
  // The first and the last sample are equally far from 0, on either side.
  expect((i[0] ?? 0) + (i[55] ?? 0)).toBeCloseTo(0, 12)
  expect((q[0] ?? 0) + (q[55] ?? 0)).toBeCloseTo(0, 12)
  // The top is the sample that starts in the middle.
  expect(i[28]).toBeCloseTo(1 - pedestal, 12)
  expect(i[18]).toBeCloseTo(i[38] ?? 0, 12)
  expect(q[18]).toBeGreaterThan(0.1)
  expect((q[18] ?? 0) - (q[28] ?? 0)).toBeCloseTo((q[28] ?? 0) - (q[38] ?? 0), 12)
})

test('samples of a Gaussian are those of quantify-scheduler 0.28.1', () => {
  // waveforms.drag(np.arange(20) * 1e-9, G_amp=1, D_amp=0.1, duration=20e-9, nr_sigma=4)
  const { i, q } = sampleEnvelope({ shape: 'gaussian', motzoi: 0.1 }, 20)
  const theirs = [
    { at: 0, i: -0.0005991740257109749, q: 0.00034317844785890553 },
    { at: 1, i: 0.0005991740257109776, q: 0.0007611652412547079 },
    { at: 5, i: 0.13440064658299922, q: 0.027276050044020443 },
    { at: 9, i: 0.9221817097330224, q: 0.0371336472521633 },
    { at: 10, i: 0.9990653633463865, q: 0.0002089933966979008 },
    { at: 13, i: 0.4858176193063581, q: -0.058201277318498695 },
    { at: 19, i: 0.000599174025710975, q: -0.0003431784478589056 },
  ]
  for (const { at, ...sample } of theirs) {
    expect(i[at]).toBeCloseTo(sample.i, 14)
    expect(q[at]).toBeCloseTo(sample.q, 14)
  }
})

test('the edges of a soft square are part of its duration', () => {
  const { i } = sampleEnvelope({ shape: 'soft_square', rise: 10 }, 40)
  expect(i[0]).toBeLessThan(0.01)
  expect(i[20]).toBe(1)
  expect(sum(i)).toBeCloseTo(30, 6)
  expect(sum(sampleEnvelope({ shape: 'square' }, 40).i)).toBe(40)
})
