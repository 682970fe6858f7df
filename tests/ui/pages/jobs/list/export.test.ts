import { expect, test } from 'bun:test'
import fc from 'fast-check'
import * as v from 'valibot'
import { rawResults, job as schema } from '../../../../../ui/api/model/jobs.ts'
import { countsOf, warningsOf } from '../../../../../ui/jobs/jobs.ts'
import { exactCsv, exactRows } from '../../../../../ui/pages/jobs/detail/ExactValues.tsx'
import { JOBS_HEAD, jobRows, toJson } from '../../../../../ui/pages/jobs/list/export.ts'

const WARNING = 'q1 is not calibrated: acq_rotation and acq_threshold are 0'
const JOB = { id: 'job000000000001', status: 'completed', created: '2026-11-01 10:00:00.000Z' }

/** The cells of CSV without line ends in them. */
function cellsOf(csv: string): string[][] {
  const lines = csv.trimEnd().split('\r\n')
  return lines.map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
    ),
  )
}

/** The rows of a job by the names of the columns. */
function rowsOf(job: object): Record<string, string>[] {
  const [head = []] = cellsOf(JOBS_HEAD)
  const rows = cellsOf(jobRows(v.parse(schema, job), () => 'kelvin'))
  return rows.map((row) => {
    expect(row).toHaveLength(head.length)
    return Object.fromEntries(head.map((column, at) => [column, row[at] ?? '']))
  })
}

test('exports of a job have the warnings of its results', () => {
  const job = {
    ...{ ...JOB, recalled: { reason: 'a bad fit', at: '2026-11-02 10:00:00.000Z' } },
    results: {
      circuit_results: [
        { shots: 2, counts: { 0: 2 }, metadata: { warnings: [WARNING], seconds: 1 } },
        { shots: 2, counts: { 1: 2 }, metadata: { warnings: [WARNING] } },
        { shots: 2, counts: { 1: 2 }, metadata: {} },
      ],
    },
  }
  expect(warningsOf(v.parse(schema, job))).toEqual([WARNING])
  expect(rowsOf(job)).toMatchObject(
    [WARNING, WARNING, ''].map((warnings) => ({ warnings, recalled: 'a bad fit' })),
  )
})

test('counts that results omit are counted from their packed memory, or named where they are too large', () => {
  const packed = (bits: number, shots: readonly number[][]) => ({
    ...{ shots: shots.length, counts_omitted: true, header: { name: 'c', memory_slots: bits } },
    memory: btoa(String.fromCharCode(...shots.flat())),
  })
  const tooLarge = { shots: 2_000_000, counts_omitted: true, memory: 'A'.repeat(4_000_000) }
  const job = {
    ...JOB,
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
  }
  expect(countsOf(v.parse(schema, job))).toEqual([{ '1000000001': 2, '0010000000': 1 }, {}])
  expect(rowsOf(job).map(({ circuit, outcome, count }) => [circuit, outcome, count])).toEqual([
    ['1', '1000000001', '2'],
    ['1', '0010000000', '1'],
    ['2', 'in the memory of the results', ''],
  ])
})

const outcome = fc.stringMatching(/^[01]{1,6}$/)
const values = fc.oneof(
  fc.record({ counts: fc.dictionary(outcome, fc.integer({ min: 1 })) }),
  fc.record({ probabilities: fc.dictionary(outcome, fc.double({ noNaN: true, min: 0, max: 1 })) }),
  fc.record({ expectation_values: fc.array(fc.double({ noNaN: true, min: -1, max: 1 })) }),
  fc.record({ memory: fc.array(fc.tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true }))) }),
  fc.record({ discarded_shots: fc.constant(100), counts: fc.constant({}) }),
)
const metadata = fc.record({ seconds: fc.double({ noNaN: true }), method: fc.string() })
const result = fc
  .tuple(values, metadata, fc.constantFrom('c', '=1+1', 'a,"b"'))
  .map(([found, metadata, name]) => ({ shots: 100, ...found, metadata, header: { name, anything: [1] } }))
const jobs = fc.record({
  id: fc.constant(JOB.id),
  status: fc.constantFrom('completed', 'failed', 'pending'),
  created: fc.constant(JOB.created),
  name: fc.constantFrom('', 'plain', '=SUM(A1)', '-x', 'a, "b"'),
  results: fc.option(fc.record({ circuit_results: fc.array(result, { maxLength: 4 }) })),
})

/** Each value that a response has as a line: its circuit, what it is of, and the number with all digits. */
function foundIn({ results }: { results: { circuit_results: object[] } | null }): string[] {
  return (results?.circuit_results ?? []).flatMap((each, index) => {
    const { counts, probabilities, expectation_values: means } = each as Record<string, object>
    const found = [
      ...Object.entries(counts ?? {}).map(([of, count]) => `count ${of} ${count}`),
      ...Object.entries(probabilities ?? {}).map(([of, share]) => `probability ${of} ${share}`),
      ...Object.entries(means ?? {}).map(([of, mean]) => `mean ${of} ${mean}`),
    ]
    return (found.length > 0 ? found : ['nothing']).map((text) => `${index + 1} ${text}`)
  })
}

/** The same from a row of CSV. */
function written({ circuit, outcome, count, probability, observable, mean }: Record<string, string>): string {
  if (count) return `${circuit} count ${outcome} ${count}`
  if (probability) return `${circuit} probability ${outcome} ${probability}`
  return `${circuit} ${mean ? `mean ${observable} ${mean}` : 'nothing'}`
}

test('CSV has every value of every kind of result, each circuit, and numbers without an apostrophe', () => {
  fc.assert(
    fc.property(jobs, (job) => {
      const response = JSON.parse(JSON.stringify(job))
      const rows = rowsOf(response)
      const expected = foundIn(response)
      if (expected.length === 0) expect(rows).toHaveLength(1)
      else expect(rows.map(written)).toEqual(expected)
      const name = /^[=-]/.test(job.name) ? `'${job.name}` : job.name
      for (const row of rows) expect(row).toMatchObject({ job: job.id, name, status: job.status })
    }),
  )
})

test('JSON is the responses of the API as they were, whatever the page knows of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(jobs, { maxLength: 3 }), async (list) => {
      const responses = list.map((job) => JSON.stringify({ ...job, unknown_to_the_page: 1 }))
      const text = await toJson(responses).text()
      expect(JSON.parse(text)).toEqual(responses.map((response) => JSON.parse(response)))
      for (const response of responses) expect(text).toContain(response)
    }),
  )
})

test('results alone are those of the route that has them: a job, a link to it, circuits that have ended', () => {
  fc.assert(
    fc.property(jobs, ({ results }) => {
      for (const body of [{ id: JOB.id, results }, { job: { id: JOB.id, results } }])
        expect(v.parse(rawResults, body)).toEqual(results)
      const ended = (results?.circuit_results ?? []).map((result, index) => ({ index, result }))
      expect(v.parse(rawResults, { results: ended })).toEqual(ended)
    }),
  )
})

test('exactCsv() has all exact values with all digits, however many a page shows', () => {
  fc.assert(
    fc.property(result, (each) => {
      const found = v.parse(schema, {
        ...JOB,
        results: { circuit_results: [JSON.parse(JSON.stringify(each))] },
      })
      const [read = { counts_omitted: false }] = found.results?.circuit_results ?? []
      const exact = exactRows(read)
      const { probabilities, expectation_values: means } = read
      if (!probabilities && !means) return expect(exact).toBeUndefined()
      const [, ...rows] = cellsOf(exact ? exactCsv(exact) : '')
      expect(rows).toEqual(
        Object.entries(probabilities ?? means ?? {}).map(([of, value]) => [of, `${value}`]),
      )
    }),
  )
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [at.toString(2).padStart(9, '0'), 1 / 300]),
  )
  const exact = exactRows({ counts_omitted: false, probabilities: many })
  expect([exact?.rows.length, exact && cellsOf(exactCsv(exact)).length]).toEqual([256, 301])
})
