import { expect, test } from 'bun:test'
import { findProblems } from '../../../ui/jobs/check/check-program.ts'
import { draftOf, newDraft } from '../../../ui/jobs/draft.ts'
import { EXAMPLES } from '../../../ui/jobs/examples.ts'
import { bodyOf, executionsOf, problemsIn, readSets, setProblems } from '../../../ui/jobs/submission.ts'

const LIMITS = { name: 'kelvin', qubits: 5, shots: 100, executions: 2, features: ['reset'] }

test('the body has what was given, values as numbers', () => {
  const draft = { ...newDraft('P'), shots: '50', tags: 'a, b,,a', name: ' sweep ', level: '1' as const }
  draft.programs = [{ text: 'P', sets: [['pi/2', '0']] }]
  expect(bodyOf(draft)).toEqual({
    circuits: [{ circuit: 'P', parameter_values: [[Math.PI / 2, 0]] }],
    shots: 50,
    meas_level: 1,
    name: 'sweep',
    tags: ['a', 'b'],
  })
  expect(bodyOf(newDraft('P'))).toEqual({ circuits: [{ circuit: 'P' }], shots: 1000 })
})

test('a condition on quality is sent, kept when the job is edited, and checked before the request', () => {
  const require = 'readout_fidelity>0.97, calibrated_within=2h'
  const draft = { ...newDraft('P'), require }
  const { require: sent } = bodyOf(draft)
  expect(sent).toEqual({ readout_fidelity: '>0.97', calibrated_within: '2h' })
  const job = { payload: { circuits: [], require: sent } } as unknown as Parameters<typeof draftOf>[0]
  expect(draftOf(job).require).toBe(require)
  expect(problemsIn(draft, undefined)).toEqual([])
  expect(problemsIn({ ...draft, shots: '1' }, LIMITS)).toEqual([
    { field: 'require', text: 'kelvin does not know conditions on quality' },
  ])
  expect(problemsIn({ ...draft, require: 'good' }, undefined)).toMatchObject([{ field: 'require' }])
})

test('problems are found before the request, with their program', () => {
  const draft = newDraft(' ')
  draft.programs.push({ text: 'P', sets: [['1'], ['pi/x']] })
  expect(problemsIn(draft, undefined)).toEqual([
    { field: 'program', text: 'Write a program', program: 0 },
    { field: 'parameters', text: 'x is unknown', program: 1 },
  ])
  expect(problemsIn({ ...draft, level: '1' }, LIMITS).map(({ field }) => field)).toEqual([
    'program',
    'parameters',
    'shots',
    'parameters',
    'level',
  ])
  expect(executionsOf(draft)).toBe(3)
})

test('each set has a value of each input', () => {
  expect(setProblems(['a', 'b'], [['1', '2'], ['1']])).toBe('Set 2 needs two values')
  expect(setProblems(['a'], [])).toBe('Give one value: a')
  expect(setProblems([], [['1']])).toBe('The program has no inputs; remove the values')
  expect(setProblems(['a'], [['1']])).toBeUndefined()
})

test('pasted lines become sets', () => {
  expect(readSets('0.1, 0.2\n\n0.3;pi\n1\t2 ')).toEqual([
    ['0.1', '0.2'],
    ['0.3', 'pi'],
    ['1', '2'],
  ])
})

test('every example is a valid program with values for its inputs', () => {
  for (const { text, sets = [] } of EXAMPLES) {
    const { problems, inputs } = findProblems(text)
    expect([problems, setProblems(inputs, sets)]).toEqual([[], undefined])
  }
})

test('a job becomes the form that submits it again', () => {
  const circuits = [{ circuit: 'P', parameter_values: [[0.5, 1]] }]
  const job = {
    payload: { circuits, shots: 7, meas_level: 1 },
    qpu_target: 'q',
    name: 'n',
    tags: ['a', 'b'],
    max_seconds: 5,
  }
  expect(draftOf(job as unknown as Parameters<typeof draftOf>[0])).toEqual({
    programs: [{ text: 'P', sets: [['0.5', '1']] }],
    ...{ shots: '7', qpu: 'q', level: '1', name: 'n', tags: 'a, b', maxSeconds: '5', require: '' },
  })
})
