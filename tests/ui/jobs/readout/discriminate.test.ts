import { expect, test } from 'bun:test'
import {
  assignmentErrors,
  betweenClouds,
  betweenPrepared,
  overlapError,
  type Points,
  projectPoints,
} from '../../../../ui/jobs/readout/discriminate.ts'
import { preparedState } from '../../../../ui/jobs/readout/prepared.ts'
import { seededRandom } from '../../../../ui/lib/statistics.ts'

const random = seededRandom(3)
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
const cloud = (shots: number, [re, im]: readonly [number, number], width: number): Points => ({
  re: Float64Array.from({ length: shots }, () => re + width * normal()),
  im: Float64Array.from({ length: shots }, () => im + width * normal()),
})
const joined = (one: Points, other: Points): Points => ({
  re: Float64Array.from([...one.re, ...other.re]),
  im: Float64Array.from([...one.im, ...other.im]),
})
const ZERO = [0.001, 0.002] as const
const ONE = [0.004, -0.002] as const

test('the line between prepared states stands upright on the way from 0 to 1, in its middle', () => {
  const line = betweenPrepared(cloud(4_000, ZERO, 1e-4), cloud(4_000, ONE, 1e-4))
  expect(line?.rotation).toBeCloseTo((Math.atan2(0.004, 0.003) * 180) / Math.PI, 0)
  const at = (place: readonly [number, number]) =>
    line && projectPoints({ re: Float64Array.of(place[0]), im: Float64Array.of(place[1]) }, line)[0]
  expect((at(ONE) ?? 0) - (at(ZERO) ?? 0)).toBeCloseTo(0.005, 4)
  expect(((at(ONE) ?? 0) + (at(ZERO) ?? 0)) / 2).toBeCloseTo(line?.threshold ?? 0, 4)
  expect(betweenPrepared(cloud(10, ZERO, 1e-4), cloud(0, ONE, 1))).toBeUndefined()
})

test('two clouds that nobody has sorted are told apart; one cloud is not cut in two', () => {
  const line = betweenClouds(joined(cloud(1_500, ZERO, 5e-4), cloud(500, ONE, 5e-4)))
  const known = betweenPrepared(cloud(1_500, ZERO, 5e-4), cloud(500, ONE, 5e-4))
  // The more frequent side is 0, whichever is found first.
  expect(line?.rotation).toBeCloseTo(known?.rotation ?? 0, -1)
  for (const shots of [100, 5_000]) expect(betweenClouds(cloud(shots, ZERO, 5e-4))).toBeUndefined()
  expect(betweenClouds(cloud(5, ZERO, 1))).toBeUndefined()
})

test('assignment errors are shares of the shots of each preparation', () => {
  const zero = Float64Array.of(-1, -1, -1, 1)
  const one = Float64Array.of(1, 1, 1, 1, 1, 1, 1, 1, 1, -1)
  expect(assignmentErrors(zero, one, 0)).toEqual({
    zeroAsOne: { value: 0.25, error: Math.sqrt((0.25 * 0.75) / 4), shots: 4 },
    oneAsZero: { value: 0.1, error: Math.sqrt((0.1 * (1 - 0.1)) / 10), shots: 10 },
    mean: 0.175,
  })
  expect(assignmentErrors(zero, Float64Array.of(), 0)).toMatchObject({
    oneAsZero: undefined,
    mean: undefined,
  })
})

test('overlapError() is half of the two-sided tail at half the distance', () => {
  const side = (mean: number) => Float64Array.from([mean - 1, mean + 1])
  // Two σ apart, each side is wrong beyond 1 σ: 15.87 %.
  expect(overlapError(side(0), side(2))).toBeCloseTo(0.1587, 4)
  expect(overlapError(side(0), Float64Array.of())).toBeUndefined()
})

test('preparedState() is known only where every outcome agrees', () => {
  const ideal = { probabilities: { '01': 0.5, '11': 0.5 } }
  expect([preparedState(ideal, 0), preparedState(ideal, 1)]).toEqual([1, undefined])
  expect(preparedState({ probabilities: { '0': 1 } }, 0)).toBe(0)
  expect(preparedState({ unknown: 'too wide' }, 0)).toBeUndefined()
})
