import { expect, test } from 'bun:test'
import { ApiError } from '../../../ui/lib/api.ts'
import { offsetOf, problemsOf } from '../../../ui/lib/problems.ts'

const refusal = (fields: ApiError['fields']) => new ApiError(400, 'The job cannot be accepted', { fields })

test('problemsOf() puts each refused field at its control, with line and column', () => {
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

test('problemsOf() knows the path forms of a circuit', () => {
  for (const path of ['circuits', 'circuits.0', 'circuits[0].circuit', 'circuits.0.circuit']) {
    expect(problemsOf(refusal({ [path]: { code: '', message: 'x' } }))).toEqual([
      { field: 'program', text: 'x' },
    ])
  }
  expect(problemsOf(refusal({ 'circuits.0.shots': { code: '', message: 'x' } }))[0]?.field).toBe('shots')
})

test('problemsOf() has nothing for fields that the form does not have', () => {
  expect(problemsOf(refusal({ meas_level: { code: '', message: 'x' } }))).toEqual([])
})

test('problemsOf() ignores positions that are none', () => {
  const [problem] = problemsOf(
    refusal({ circuits: { code: '', message: 'x', params: { line: 0, column: '3' } } }),
  )
  expect(problem).toEqual({ field: 'program', text: 'x' })
})

test('offsetOf() counts lines and columns from 1 and stays inside the text', () => {
  const text = 'ab\ncde\n'
  expect(offsetOf(text, 1, 1)).toBe(0)
  expect(offsetOf(text, 2, 3)).toBe(5)
  expect(offsetOf(text, 2, 99)).toBe(6)
  expect(offsetOf(text, 99, 1)).toBe(text.length)
})
