import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readProgress } from '../../../../../ui/pages/calibrations/run/read-progress.ts'
import { resultsByTarget } from '../../../../../ui/pages/calibrations/run/results-so-far.ts'

test('failed routines are named, and their targets come first', () => {
  const progress = readProgress({
    plan: [
      { routine: 't1', targets: ['q0', 'q1', 'q2', 'q10'] },
      { routine: 't2', targets: ['q0'] },
    ],
    outcomes: {
      t1: { q10: 'success', q2: 'success', q1: 'failed', q0: 'unresolved' },
      rabi: { q1: 'blocked' },
    },
  })
  expect(resultsByTarget(progress)).toEqual([
    { target: 'q1', ended: 2, planned: 1, done: 0, blocked: 1, failed: ['t1'], unresolved: [] },
    { target: 'q0', ended: 1, planned: 2, done: 0, blocked: 0, failed: [], unresolved: ['t1'] },
    { target: 'q2', ended: 1, planned: 1, done: 1, blocked: 0, failed: [], unresolved: [] },
    { target: 'q10', ended: 1, planned: 1, done: 1, blocked: 0, failed: [], unresolved: [] },
  ])
})

test('every outcome is counted once, whatever a tuner sends', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.string())), (outcomes) => {
      const ended = resultsByTarget(readProgress({ outcomes })).reduce((sum, one) => sum + one.ended, 0)
      const given = Object.values(outcomes).reduce((sum, targets) => sum + Object.keys(targets).length, 0)
      expect(ended).toBe(given)
    }),
  )
})
