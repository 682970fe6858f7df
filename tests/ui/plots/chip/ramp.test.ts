import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  contrast,
  labelColor,
  positionOn,
  rampColor,
  rampPlace,
  scaleOf,
} from '../../../../ui/plots/chip/ramp.ts'

test('labels have a contrast of at least 4.5 : 1 everywhere on the ramp', () => {
  for (let step = 0; step <= 2_000; step += 1) {
    const color = rampColor(step / 2_000)
    expect(contrast(color, labelColor(color))).toBeGreaterThanOrEqual(4.5)
  }
})

test('labels have that contrast on any color', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const color = `#${number.toString(16).padStart(6, '0')}`
      expect(contrast(color, labelColor(color))).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('the ramp goes from dark to light, and stays at its ends', () => {
  expect([-1, 0, 1, 2].map(rampColor)).toEqual(['#00204c', '#00204c', '#ffe945', '#ffe945'])
  const dark = Array.from({ length: 101 }, (_, step) => contrast(rampColor(step / 100), '#000000'))
  expect(dark).toEqual(dark.toSorted((one, other) => one - other))
})

test('places on the ramp keep the order of the values, or invert it', () => {
  const values = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 2 })
  fc.assert(
    fc.property(values, fc.boolean(), fc.boolean(), (list, log, inverted) => {
      const scale = scaleOf(list, { log, inverted })
      if (!scale) throw new Error('no scale')
      for (const value of list) {
        const place = rampPlace(scale, value)
        expect(place).toBeGreaterThanOrEqual(0)
        expect(place).toBeLessThanOrEqual(1)
      }
      if (scale.high > scale.low) {
        expect(rampPlace(scale, scale.high)).toBe(inverted ? 0 : 1)
        expect(rampPlace(scale, scale.low)).toBe(inverted ? 1 : 0)
      }
    }),
  )
})

test('a logarithmic scale of neighboring numbers has places', () => {
  const scale = scaleOf([8.881784197001252e-16, 8.881784197001256e-16], { log: true, inverted: false })
  expect(scale && rampPlace(scale, 8.881784197001254e-16)).toBeCloseTo(0.5)
})

test('a logarithmic scale has equal steps for equal ratios, and needs positive values', () => {
  const scale = scaleOf([1e-4, 1e-2], { log: true, inverted: false })
  expect(scale && positionOn(scale, 1e-3)).toBeCloseTo(0.5, 12)
  expect(scaleOf([0, 1], { log: true, inverted: false })?.log).toBe(false)
  expect(scaleOf([], { log: true, inverted: false })).toBeUndefined()
})

test('equal values are in the middle of the ramp', () => {
  const scale = scaleOf([3, 3], { log: false, inverted: false })
  expect(scale && positionOn(scale, 3)).toBe(0.5)
})
