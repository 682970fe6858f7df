import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  blocksOf,
  secondsLeft,
  shareOver,
  typicalTimes,
} from '../../../../../ui/pages/calibrations/run/expected-time.ts'

test('typicalTimes() is the median over runs of the sum over targets', () => {
  const run = (...seconds: number[]) => seconds.map((one) => ({ routine: 't1', seconds: one }))
  expect(typicalTimes([run(10, 10), run(30), run(40)]).get('t1')).toBe(30)
})

test('blocksOf() prefers earlier runs to the plan and fills in the usual time', () => {
  const plan = [{ routine: 'a', estimate: 10 }, { routine: 'b', estimate: 50 }, { routine: 'c' }]
  const blocks = blocksOf(plan, new Map([['a', 30]]))
  expect(blocks.map(({ seconds }) => seconds)).toEqual([30, 50, 40])
  expect(secondsLeft(blocks, { over: 1, within: 0.5 }, undefined)).toBeCloseTo(65)
})

test('without figures the pace of the run gives the time left, not before a tenth of it', () => {
  const blocks = blocksOf(
    Array.from({ length: 10 }, (_, at) => ({ routine: `r${at}` })),
    new Map(),
  )
  expect(secondsLeft(blocks, { over: 0, within: 0.5 }, 60)).toBeUndefined()
  expect(secondsLeft(blocks, { over: 5, within: 0 }, 60)).toBeCloseTo(60)
})

test('shares add up to 1, and progress lies between 0 and 1 and never goes back', () => {
  const estimates = fc.array(fc.option(fc.double({ min: 0, max: 1e5, noNaN: true }), { nil: undefined }), {
    minLength: 1,
    maxLength: 40,
  })
  fc.assert(
    fc.property(estimates, (given) => {
      const blocks = blocksOf(
        given.map((estimate, at) => ({ routine: `r${at}`, estimate })),
        new Map(),
      )
      expect(blocks.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
      let before = 0
      for (let over = 0; over <= blocks.length; over += 1) {
        for (const within of [0, 0.4, 1]) {
          const share = shareOver(blocks, { over, within })
          expect(share).toBeGreaterThanOrEqual(before - 1e-9)
          expect(share).toBeLessThanOrEqual(1)
          before = share
        }
      }
      expect(before).toBeCloseTo(1)
    }),
  )
})
