import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { job as schema } from '../../../../../ui/api/model/jobs.ts'
import { warningsOf } from '../../../../../ui/jobs/jobs.ts'
import { toJobsCsv, toJson } from '../../../../../ui/pages/jobs/list/export.ts'

const WARNING = 'q1 is not calibrated: acq_rotation and acq_threshold are 0'

test('exports of a job have the warnings of its results', () => {
  const job = v.parse(schema, {
    ...{ id: 'job000000000001', status: 'completed', created: '2026-11-01 10:00:00.000Z' },
    results: {
      circuit_results: [
        { shots: 2, counts: { 0: 2 }, metadata: { warnings: [WARNING], seconds: 1 } },
        { shots: 2, counts: { 1: 2 }, metadata: { warnings: [WARNING] } },
        { shots: 2, counts: { 1: 2 }, metadata: {} },
      ],
    },
  })
  expect(warningsOf(job)).toEqual([WARNING])
  const rows = toJobsCsv([job], () => 'kelvin')
    .trim()
    .split('\r\n')
  expect(rows.map((row) => row.split(',').at(-1))).toEqual(['warnings', WARNING, WARNING, ''])
  expect(toJson([job])).toContain(WARNING)
})
