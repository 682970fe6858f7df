import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ROUTINES, type RoutineDeclaration } from '../../../../../src/devices/tuning/routine-names.ts'
import {
  blameOf,
  cellState,
  positionOf,
  presentRow,
  readProgress,
  stateOfOutcome,
} from '../../../../../ui/pages/calibrations/run/read-progress.ts'

const PLAN = [
  { routine: 't1', targets: ['q0', 'q1'] },
  { routine: 'randomized_benchmarking', depends_on: ['t1'], targets: ['q0', 'q1'] },
]

test('readProgress() never fails, whatever a tuner sends', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, plan) => {
      const progress = readProgress({ plan, outcomes: value, step: value, running: plan })
      for (const [row] of progress.plan.entries()) cellState(progress, row, 'q0')
      positionOf(progress)
      expect(readProgress(value).step).toBeNumber()
    }),
  )
})

test('the state of a cell is its outcome, or follows from where the run is', () => {
  const outcomes = { t1: { q0: 'failed' } }
  const step = { phase: 'routine', step: 2, total: 2, routine: 'randomized_benchmarking', target: 'q1' }
  const progress = readProgress({ ...step, plan: PLAN, outcomes })
  expect(presentRow(progress)).toBe(1)
  expect(cellState(progress, 0, 'q0')).toBe('failed')
  expect(cellState(progress, 0, 'q1')).toBe('over')
  expect(cellState(progress, 1, 'q1')).toBe('running')
  expect(cellState(progress, 1, 'q0')).toBe('planned')
  expect(blameOf(progress)).toEqual([{ routine: 't1', target: 'q0' }])
  expect(progress.plan[1]?.isBenchmark).toBe(true)
})

test('a tuner without a plan still has a position', () => {
  expect(positionOf(readProgress({ step: 3, total: 5 }))).toEqual({ over: 2, within: 0 })
  expect(readProgress(null)).toMatchObject({ step: 0, total: 0, plan: [] })
})

test('stateOfOutcome() knows the words of tuners', () => {
  const words = ['success', 'failed', 'unresolved', 'blocked', 'declined', 'whatever']
  expect(words.map(stateOfOutcome)).toEqual(['done', 'failed', 'unresolved', 'blocked', 'declined', 'over'])
})

test('the benchmarks of a plan are those of the list of routines', () => {
  const plan = ROUTINES.map(({ name }) => ({ routine: name, targets: ['q0'] }))
  const benchmarks = ROUTINES.filter((routine: RoutineDeclaration) => routine.isBenchmark)
  expect(readProgress({ plan }).plan.flatMap((one) => (one.isBenchmark ? [one.routine] : []))).toEqual(
    benchmarks.map(({ name }) => name),
  )
})
