import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { job as schema } from '../../../../../ui/api/model/jobs.ts'
import { countsOf, warningsOf } from '../../../../../ui/jobs/jobs.ts'
import { toJobsCsv, toJson } from '../../../../../ui/pages/jobs/list/export.ts'

const WARNING = 'q1 is not calibrated: acq_rotation and acq_threshold are 0'

test('exports of a job have the warnings of its results', () => {
  const job = v.parse(schema, {
    ...{ id: 'job000000000001', status: 'completed', created: '2026-11-01 10:00:00.000Z' },
    recalled: { reason: 'a bad fit', at: '2026-11-02 10:00:00.000Z' },
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
  expect(rows.map((row) => row.split(',').slice(-2))).toEqual([
    ['warnings', 'recalled'],
    ...[WARNING, WARNING, ''].map((warning) => [warning, 'a bad fit']),
  ])
  expect(toJson([job])).toContain(WARNING)
})

test('counts that results omit are counted from their packed memory, or named where they are too large', () => {
  const packed = (bits: number, shots: readonly number[][]) => ({
    ...{ shots: shots.length, counts_omitted: true, header: { name: 'c', memory_slots: bits } },
    memory: btoa(String.fromCharCode(...shots.flat())),
  })
  const tooLarge = { shots: 2_000_000, counts_omitted: true, memory: 'A'.repeat(4_000_000) }
  const job = v.parse(schema, {
    ...{ id: 'job000000000001', status: 'completed', created: '2026-11-01 10:00:00.000Z' },
    results: {
      circuit_results: [
        // Bit 0 is the lowest bit of the last byte.
        packed(10, [
          [2, 1],
          [0, 128],
          [2, 1],
        ]),
        { ...tooLarge, header: { name: 'c', memory_slots: 8 } },
      ],
    },
  })
  expect(countsOf(job)).toEqual([{ '1000000001': 2, '0010000000': 1 }, {}])
  const rows = toJobsCsv([job], () => 'kelvin')
    .trim()
    .split('\r\n')
  expect(rows.slice(1).map((row) => row.split(',').slice(7))).toEqual([
    ['1', '1000000001', '2', '', ''],
    ['1', '0010000000', '1', '', ''],
    ['2', 'in the memory of the results', '', '', ''],
  ])
})
