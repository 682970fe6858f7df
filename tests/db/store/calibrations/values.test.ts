import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toTimestamp } from '../../../../src/base/index.ts'
import {
  calibrationResults,
  finishValues,
  listLatestValues,
  type Median,
  readMedian,
  readQpuCalibrations,
  readReadoutFidelities,
  storeValues,
} from '../../../../src/db/store/calibrations/index.ts'
import { createQpu, readDescription } from '../../../../src/db/store/qpus/index.ts'
import { openTestDatabase } from '../../../support/database.ts'

const PARAMETERS = ['clock_freqs.f01', 'readout.fidelity', 'rb.fidelity'] as const

/** A value, or one that is below a bound. */
const found = fc.record({
  element: fc.constantFrom('q0', 'q1'),
  parameter: fc.constantFrom(...PARAMETERS),
  value: fc.option(fc.integer({ min: 1, max: 99 }), { nil: null, freq: 2 }),
})
const reports = fc.array(
  fc.uniqueArray(found, { maxLength: 5, selector: ({ element, parameter }) => `${element} ${parameter}` }),
  { minLength: 2, maxLength: 6 },
)

test('what is known of a chip is the same in whatever order its reports arrive', async () => {
  await using lab = await openTestDatabase()
  const { db, clock } = lab
  let qpus = 0
  /** The reports end one after another, and arrive by these numbers. */
  const arrive = async (
    all: readonly (typeof found extends fc.Arbitrary<infer F> ? F[] : never)[],
    order: number[],
  ) => {
    qpus += 1
    const {
      qpu: { id: qpu },
    } = await createQpu(db, 'test', {
      ...{ name: `qpu${qpus}`, executorType: 'mock', numQubits: 2, enabled: true, tokenHash: `${qpus}` },
    })
    const prefix = `${String(qpus).padStart(13, '0')}r`
    await db.write('reports', (tx) => {
      tx.run(
        `INSERT INTO qpu_descriptions (qpu, driver, epoch, described_at, described, calibrated_at, fidelities, completed)
         VALUES ($qpu, '', 0, 'x', '{"qubits":[{"name":"q0"},{"name":"q1"}]}', '', '', '')`,
        { qpu },
      )
      for (const at of order) {
        const [id, end] = [`${prefix}${at}`, toTimestamp(clock.now() - 1_000 + at)]
        const row = {
          qpu,
          driver: '',
          mode: 'full',
          status: 'success',
          finished_at: end,
          run_id: id,
        } as const
        const { id: report } = tx.insert(calibrationResults, { id, ...row })
        const values = (all[at] ?? []).map((each) => ({
          ...each,
          ...{ error: null, unit: '', routine: each.parameter.split('.')[0] ?? '' },
        }))
        const stored = { id: report, qpu, at: end }
        storeValues(tx, stored, values)
        const medians: Record<string, Median> = {}
        for (const parameter of new Set(values.map((value) => value.parameter))) {
          const median = readMedian(tx, qpu, parameter)
          if (median) medians[parameter] = median
        }
        finishValues(tx, { ...stored, values }, medians)
      }
    })
    const seen = await db.read((tx) => ({
      latest: listLatestValues(tx, qpu, 99),
      newest: readQpuCalibrations(tx, [qpu]).get(qpu),
      readout: [...readReadoutFidelities(tx, qpu)],
      description: String(readDescription(tx, qpu)()?.text ?? ''),
    }))
    return {
      ...seen,
      newest: { ...seen.newest, medians: Object.entries(seen.newest?.medians ?? {}).toSorted() },
    }
  }
  await fc.assert(
    fc.asyncProperty(
      reports.chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray([...all.keys()], { minLength: all.length })),
      ),
      async ([all, order]) => {
        const named = (seen: object) => JSON.stringify(seen, null, 1).replaceAll(/\d{13}r/g, 'report')
        expect(named(await arrive(all, order))).toBe(named(await arrive(all, [...all.keys()])))
      },
    ),
    { numRuns: 60 },
  )
})
