import { describe, expect, test } from 'bun:test'
import {
  acquire,
  defineRoutine,
  type Finding,
  type FoundValue,
  RoutineError,
} from '../../../../src/devices/tuning/routine.ts'
import { isPrecise } from '../../../../src/devices/tuning/walk/first-shots.ts'
import { windowOf } from '../../../support/tuning/scripted.ts'
import { setUp } from '../../../support/tuning/scripted-walk.ts'

/** A routine of 1,000 shots that begins with an eighth of them, and what a measurement with so many finds. */
function beginning(taken: string[], find: (target: string, shots: number, attempt: number) => Finding) {
  return defineRoutine({
    name: 'look',
    kind: 'qubit',
    writes: ['a'],
    size: { points: 1, shots: 1_000, firstPart: 1 / 8 },
    *measure(context) {
      const shots = context.shots(1_000)
      const { target, attempt, parent } = context
      taken.push(`${target} ${shots}`)
      yield* acquire({ kind: 'average', shots, reset_ns: 0, points: [windowOf(parent.name)] })
      return find(target, shots, attempt.number)
    },
  })
}

const found = (value: FoundValue): Finding => ({ parameters: { a: value } })
const failing = (code: string): Finding => {
  throw new RoutineError(code, 'nothing')
}

describe('a routine that begins with a part of its shots', () => {
  test.each<[string, (target: string, shots: number, attempt: number) => Finding, string[]]>([
    ['is done where the error is small', () => found({ value: 1, error: 0.01 }), ['q0 125']],
    [
      'takes all shots where it is too large',
      (_, shots) => found({ value: 1, error: 20 / shots }),
      ['q0 125', 'q0 1000'],
    ],
    [
      'takes all shots where it finds nothing',
      (_, shots) => (shots < 1_000 ? failing('no_signal') : found({ value: 1 })),
      ['q0 125', 'q0 1000'],
    ],
    [
      'looks beyond the end of its sweep first',
      (_, __, attempt) => (attempt === 1 ? failing('edge_of_sweep') : found({ value: 1 })),
      ['q0 125', 'q0 125'],
    ],
    [
      'takes all shots in the last attempt',
      () => failing('edge_of_sweep'),
      ['q0 125', 'q0 125', 'q0 125', 'q0 1000'],
    ],
    ['does not repeat what no shots mend', () => failing('not_set'), ['q0 125']],
  ])('%s', async (_, find, shots) => {
    const taken: string[] = []
    const { run } = setUp([beginning(taken, find)], { plan: { qubits: ['q0'] } })
    await run()
    expect(taken).toEqual(shots)
  })

  test('takes all shots on those of its targets that need them', async () => {
    const taken: string[] = []
    const routine = beginning(taken, (target, shots) =>
      found({ value: 1, error: target === 'q0' ? 0.01 : 20 / shots }),
    )
    const { run } = setUp([routine], {
      plan: { qubits: ['q0', 'q2'] },
      input: { group: (all) => [[...all]] },
    })
    const { results } = await run()
    expect(taken).toEqual(['q0 125', 'q2 125', 'q2 1000'])
    expect(results.map(({ target, outcome }) => [target, outcome.error, outcome.attempts])).toEqual([
      ['q0', undefined, 1],
      ['q2', undefined, 1],
    ])
  })

  test('takes the shots of calibration.yml', async () => {
    const taken: string[] = []
    const settingsOf = () => ({ shots: 300, axis: () => undefined, number: () => undefined })
    const routine = beginning(taken, () => found({ value: 1 }))
    await setUp([routine], { plan: { qubits: ['q0'] }, runner: { settingsOf } }).run()
    expect(taken).toEqual(['q0 300'])
  })
})

test.each<[string, Finding, boolean]>([
  ['a fifth of the limit of its check', found({ value: 1, error: 0.02, checkLimit: 0.1 }), true],
  ['more of it', found({ value: 1, error: 0.021, checkLimit: 0.1 }), false],
  ['as much as matters', found({ value: 1, error: 0.05, checkLimit: 0.1, wantedError: 0.05 }), true],
  ['a tenth of the value', found({ value: -1, error: 0.1 }), true],
  ['none, for a choice', found({ value: 1, checkLimit: 0.1 }), true],
  ['unknown', found({ value: 1, error: Number.NaN }), false],
  ['small, but nothing is resolved', { ...found({ value: 1, error: 0 }), unresolved: true }, false],
])('isPrecise() of an error that is %s', (_, finding, is) => {
  expect(isPrecise(finding)).toBe(is)
})
