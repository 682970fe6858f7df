import { expect, test } from 'bun:test'
import { sampleDecay } from '../../../../src/devices/tuning/measure/benchmark-depths.ts'
import {
  type Measurement,
  type RoutineContext,
  RoutineError,
} from '../../../../src/devices/tuning/routine.ts'

const DEPTHS = [1, 16, 256]

interface Trial {
  rate: number
  /** The deepest sequences that the hardware plays. */
  hardware?: number
  /** What each depth takes, s, of a time limit of 100 s. */
  perDepth?: number
  given?: readonly number[]
  start?: number
}

/** The depths that are measured of a signal that decays at a rate. */
function depthsOf({ rate, hardware = Number.POSITIVE_INFINITY, perDepth = 0, given, start = 0.5 }: Trial) {
  let left = 100
  const context = {
    axis: () => ({ name: 'depths', values: Float64Array.from(given ?? DEPTHS) }),
    secondsLeft: () => left,
  } as unknown as RoutineContext
  const steps: Measurement<{ depths: number[]; samples: number[][] }> = sampleDecay(context, {
    ...{ depths: DEPTHS, deepest: 16_384, base: 0.5 },
    *measure(depths) {
      if (Math.max(...depths) > hardware) throw new RoutineError('not_playable', 'too many instructions')
      left -= perDepth * depths.length
      return depths.map((depth) => [0.5 + start * (1 - rate) ** depth])
    },
  })
  const { done, value } = steps.next({})
  expect(done).toBe(true)
  const found = value as { depths: number[]; samples: number[][] }
  expect(found.samples).toHaveLength(found.depths.length)
  return found.depths
}

test('sequences grow until the decay is seen, and no further than it needs', () => {
  expect(depthsOf({ rate: 5e-3 })).toEqual(DEPTHS)
  expect(depthsOf({ rate: 5e-4 })).toEqual([...DEPTHS, 512, 1_024])
  expect(depthsOf({ rate: 0 })).toEqual([...DEPTHS, 512, 1_024, 2_048, 4_096, 8_192, 16_384])
})

test('the hardware, the time limit and calibration.yml end the growth', () => {
  expect(depthsOf({ rate: 0, hardware: 1_500 })).toEqual([...DEPTHS, 512, 1_024])
  expect(depthsOf({ rate: 0, perDepth: 25 })).toEqual(DEPTHS)
  expect(depthsOf({ rate: 0, given: [1, 64] })).toEqual([1, 64])
  expect(() => depthsOf({ rate: 0, hardware: 100 })).toThrow('too many instructions')
})

test('a signal that is low or no population gets no deeper sequences', () => {
  expect(depthsOf({ rate: 0, start: 0 })).toEqual(DEPTHS)
  expect(depthsOf({ rate: 0, start: 3 })).toEqual(DEPTHS)
})
