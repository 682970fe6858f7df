import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toTimestamp } from '../../../../src/base/index.ts'
import type { Tx } from '../../../../src/db/index.ts'
import {
  calibrationResults,
  finishValues,
  listLatestValues,
  listMedians,
  listSpans,
  listValuesAt,
  type Median,
  readMedian,
  readoutFidelities,
  readQpuCalibrations,
  storeMedians,
  storeValues,
  withdrawReport,
} from '../../../../src/db/store/calibrations/index.ts'
import { createQpu, descriptionOf } from '../../../../src/db/store/qpus/index.ts'
import { openTestDatabase } from '../../../support/database.ts'

const PARAMETERS = ['clock_freqs.f01', 'readout.fidelity', 'rb.fidelity'] as const

/** A value, or one that is below a bound. */
const found = fc.record({
  element: fc.constantFrom('q0', 'q1'),
  parameter: fc.constantFrom(...PARAMETERS),
  value: fc.option(
    fc.integer({ min: 1, max: 99 }).map((percent) => percent / 100),
    { nil: null, freq: 2 },
  ),
})
type Found = typeof found extends fc.Arbitrary<infer F> ? F : never
const reports = fc.array(
  fc.uniqueArray(found, { maxLength: 5, selector: ({ element, parameter }) => `${element} ${parameter}` }),
  { minLength: 2, maxLength: 6 },
)

/** A report that has ended, and what it found. */
function arriveOne(tx: Tx, { id, qpu, at }: { id: string; qpu: string; at: string }, all: readonly Found[]) {
  const row = { qpu, driver: '', mode: 'full', status: 'success', finished_at: at, run_id: id } as const
  const inserted = tx.insert(calibrationResults, { id, ...row })
  const values = all.map((each) => ({
    ...each,
    ...{ error: each.value === null ? 0.125 : null, unit: '', routine: each.parameter.split('.')[0] ?? '' },
  }))
  const stored = { id, qpu, at }
  storeValues(tx, stored, values)
  for (const span of listSpans(tx, stored)) storeMedians(tx, stored, span)
  const medians: Record<string, Median> = {}
  for (const parameter of new Set(values.map((value) => value.parameter))) {
    const median = readMedian(tx, qpu, parameter)
    if (median) medians[parameter] = median
  }
  finishValues(tx, { ...stored, values }, medians)
  return inserted
}

test('what is known of a chip follows from the reports that are not deleted, in whatever order they arrive', async () => {
  await using lab = await openTestDatabase()
  const { db, clock } = lab
  let qpus = 0
  /** The reports end one after another, and arrive by these numbers. */
  const arrive = async (
    all: readonly (readonly Found[])[],
    order: readonly number[],
    deleted: readonly number[] = [],
  ) => {
    qpus += 1
    const {
      qpu: { id: qpu },
    } = await createQpu(db, 'test', {
      ...{ name: `qpu${qpus}`, executorType: 'mock', numQubits: 2, enabled: true, tokenHash: `${qpus}` },
    })
    const prefix = `${String(qpus).padStart(13, '0')}r`
    const end = (at: number) => toTimestamp(clock.now() - 1_000 + at)
    await db.write('reports', (tx) => {
      const described = '{"qubits":[{"name":"q0"},{"name":"q1"}]}'
      tx.run(
        `INSERT INTO qpu_descriptions (qpu, driver, epoch, described_at, described, calibrated_at, fidelities, completed)
         VALUES ($qpu, '', 0, 'x', $described, '', '', $described)`,
        { qpu, described },
      )
      const reports = order.map((at) =>
        arriveOne(tx, { id: `${prefix}${at}`, qpu, at: end(at) }, all[at] ?? []),
      )
      for (const report of reports.filter((_, place) => deleted.includes(order[place] ?? -1))) {
        withdrawReport(tx, report)
        tx.remove(calibrationResults, report.id)
      }
    })
    const seen = await db.read((tx) => ({
      latest: listLatestValues(tx, qpu, 99),
      newest: readQpuCalibrations(tx, [qpu]).get(qpu),
      readout: [...tx.read(readoutFidelities(qpu))],
      description: String(tx.read(descriptionOf(qpu))?.text ?? ''),
      course: listMedians(tx, { qpu, from: '', to: '9', limit: 999 }),
      past: [...all.keys()].map((at) => listValuesAt(tx, { qpu, at: end(at), limit: 99 })),
    }))
    return {
      ...seen,
      newest: { ...seen.newest, medians: Object.entries(seen.newest?.medians ?? {}).toSorted() },
    }
  }
  const named = (seen: object) => JSON.stringify(seen, null, 1).replaceAll(/\d{13}r/g, 'report')
  await fc.assert(
    fc.asyncProperty(
      reports.chain((all) =>
        fc.tuple(
          ...[fc.constant(all), fc.shuffledSubarray([...all.keys()], { minLength: all.length })],
          fc.subarray([...all.keys()]),
        ),
      ),
      async ([all, order, deleted]) => {
        const inOrder = [...all.keys()]
        expect(named(await arrive(all, order))).toBe(named(await arrive(all, inOrder)))
        const others = inOrder.filter((at) => !deleted.includes(at))
        expect(named(await arrive(all, order, deleted))).toBe(named(await arrive(all, others)))
      },
    ),
    { numRuns: 30 },
  )
})
