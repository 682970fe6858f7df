import { expect, test } from 'bun:test'
import { exactRows } from '../../../../../ui/pages/jobs/detail/ExactValues.tsx'

const result = { counts_omitted: false }

test('exactRows() lists means in order and the most probable outcomes by name', () => {
  expect(exactRows({ ...result, expectation_values: [0.5, -1] })?.rows).toEqual([
    { name: '0', value: '0.50000000' },
    { name: '1', value: '-1.0000000' },
  ])
  expect(
    exactRows({ ...result, probabilities: { '11': 0.75, '00': 0.25 } })?.rows.map(({ name }) => name),
  ).toEqual(['00', '11'])
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [at.toString(2).padStart(9, '0'), at / 44_850]),
  )
  const shown = exactRows({ ...result, probabilities: many })
  expect([shown?.rows.length, shown?.rows[0]?.name, shown?.left]).toEqual([256, '000101100', 44])
  expect(exactRows({ ...result, counts: { '0': 1 } })).toBeUndefined()
})
