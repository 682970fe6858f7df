import { expect, test } from 'bun:test'
import { ApiError } from '../../../ui/api/api.ts'
import { findProblems } from '../../../ui/jobs/check/check-program.ts'
import { offsetOf, problemsOf, remainingProblems } from '../../../ui/jobs/problems.ts'

const refusal = (fields: ApiError['fields']) => new ApiError(400, 'The job cannot be accepted', { fields })

test('problemsOf() assigns each refused field to its control, with line and column', () => {
  const error = refusal({
    'circuits.0.circuit': {
      code: 'unknown_name',
      message: "'qq' is not declared",
      params: { line: 9, column: 13 },
    },
    shots: { code: 'too_many', message: 'At most 1000000' },
    qpu_target: { code: 'unknown', message: 'No such QPU' },
  })
  expect(problemsOf(error)).toEqual([
    { field: 'program', text: "'qq' is not declared", line: 9, column: 13 },
    { field: 'shots', text: 'At most 1000000' },
    { field: 'qpu', text: 'No such QPU' },
  ])
})

test('problemsOf() recognizes the path forms of a circuit', () => {
  for (const path of ['circuits', 'circuits.0', 'circuits[0].circuit', 'circuits.0.circuit']) {
    expect(problemsOf(refusal({ [path]: { code: '', message: 'x' } }))).toEqual([
      { field: 'program', text: 'x' },
    ])
  }
  expect(problemsOf(refusal({ 'circuits.0.shots': { code: '', message: 'x' } }))[0]?.field).toBe('shots')
})

test('problemsOf() returns nothing for fields that the form does not have', () => {
  expect(problemsOf(refusal({ memory: { code: '', message: 'x' } }))).toEqual([])
})

test('problemsOf() ignores invalid positions', () => {
  const [problem] = problemsOf(
    refusal({ circuits: { code: '', message: 'x', params: { line: 0, column: '3' } } }),
  )
  expect(problem).toEqual({ field: 'program', text: 'x' })
})

test('offsetOf() counts lines and columns from 1 and stays within the text', () => {
  const text = 'ab\ncde\n'
  expect(offsetOf(text, 1, 1)).toBe(0)
  expect(offsetOf(text, 2, 3)).toBe(5)
  expect(offsetOf(text, 2, 99)).toBe(6)
  expect(offsetOf(text, 99, 1)).toBe(text.length)
})

test('remainingProblems() drops a problem as soon as its line changes', () => {
  const problems = [
    { field: 'program' as const, text: 'first', line: 1, column: 1 },
    { field: 'program' as const, text: 'second', line: 2, column: 1 },
  ]
  const diagnostics = { text: 'a;\nb;\n', inputs: [], qubits: 0, problems }
  expect(remainingProblems(diagnostics, 'a;\nb;\n')).toEqual(problems)
  expect(remainingProblems(diagnostics, 'a;\nbb;\nc;\n')).toEqual(problems.slice(0, 1))
  expect(remainingProblems(diagnostics, '')).toEqual([])
})

test('findProblems() returns the errors of the parser as problems of the program', () => {
  const { inputs, problems } = findProblems(
    'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float theta;\nqubit q;\nrx(theta) qq;\n',
  )
  expect(inputs).toEqual(['theta'])
  expect(problems).toEqual([{ field: 'program', text: expect.stringContaining('qq'), line: 5, column: 11 }])
})
