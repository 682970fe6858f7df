import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Database } from '../../../../src/db/index.ts'
import { calibrationResults } from '../../../../src/db/store/calibrations/index.ts'
import { stripCalibrationResult } from '../../../../src/db/store/maintenance/index.ts'
import { openTestDatabase } from '../../../support/database.ts'

const BEFORE = Date.UTC(2026, 0, 10, 12)
const EARLIER = '2026-01-10 11:59:59.999Z'
const LATER = '2026-01-10 12:00:00.000Z'

describe('stripCalibrationResult()', () => {
  const read = (db: Database) =>
    db.read((tx) =>
      tx.one<{ routines: string | null; benchmarks: string | null; traces_stripped: number }>(
        'SELECT routines, benchmarks, traces_stripped FROM calibration_results',
      ),
    )
  const add = (db: Database, routines: string, benchmarks: string) =>
    db.write('report', (tx) => {
      tx.run('DELETE FROM calibration_results')
      const { id } = tx.insert(calibrationResults, { finished_at: EARLIER })
      tx.run('UPDATE calibration_results SET routines = $routines, benchmarks = $benchmarks WHERE id = $id', {
        id,
        routines,
        benchmarks,
      })
    })

  test('removes the traces and leaves every number as it was written', async () => {
    await using test = await openTestDatabase()
    const kept = '"params":{"f01":4.812345678901234567e9,"t1":1e-05,"n":12345678901234567890,"fit":1.0}'
    await add(
      test.db,
      `[{"name":"rabi","target":"q0",${kept},"fit":{"x":[1,2],"y":[0.1,-0.0]}},{"name":"t1","error":"no"}]`,
      '[{"name":"rb","fidelity":0.9990,"raw_data":[[1,2],[3,4]]},null,true,"x",1.50]',
    )
    expect(await stripCalibrationResult(test.db, BEFORE)).toBe(1)
    expect(await read(test.db)).toEqual({
      routines: `[{"name":"rabi","target":"q0",${kept}},{"name":"t1","error":"no"}]`,
      benchmarks: '[{"name":"rb","fidelity":0.9990},null,true,"x",1.50]',
      traces_stripped: 1,
    })
    expect(await stripCalibrationResult(test.db, BEFORE)).toBe(0)
  })

  test('reads nothing in the other thread while no report is old', async () => {
    await using test = await openTestDatabase()
    await test.db.write('report', (tx) => tx.insert(calibrationResults, { finished_at: LATER }))
    const db = {
      ...test.db,
      readApart: () => Promise.reject(new Error('the thread is started')),
    }
    expect(await stripCalibrationResult(db, BEFORE)).toBe(0)
    await test.db.write('report', (tx) => tx.insert(calibrationResults, { finished_at: EARLIER }))
    await expect(stripCalibrationResult(db, BEFORE)).rejects.toThrow('the thread is started')
  })

  test('strips one report at a time, only old ones, and accepts any JSON', async () => {
    await using test = await openTestDatabase()
    await test.db.write('reports', (tx) => {
      tx.insert(calibrationResults, { finished_at: EARLIER, routines: { fit: 1 }, benchmarks: [] })
      tx.insert(calibrationResults, { finished_at: EARLIER })
      tx.insert(calibrationResults, { finished_at: LATER, routines: [{ fit: 1 }] })
    })
    expect(await stripCalibrationResult(test.db, BEFORE)).toBe(1)
    expect(await stripCalibrationResult(test.db, BEFORE)).toBe(1)
    expect(await stripCalibrationResult(test.db, BEFORE)).toBe(0)
    const stored = await test.db.read((tx) =>
      tx.list(calibrationResults).map(({ routines, traces_stripped }) => [routines, traces_stripped]),
    )
    expect(stored).toEqual([
      [{ fit: 1 }, true],
      [null, true],
      [[{ fit: 1 }], false],
    ])
  })

  test('is the same as removing the keys from the parsed report, for any report', async () => {
    await using test = await openTestDatabase()
    const part = fc.oneof(
      fc.record(
        { name: fc.string(), fit: fc.jsonValue(), raw_data: fc.jsonValue(), params: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part), fc.array(part), async (routines, benchmarks) => {
        await add(test.db, JSON.stringify(routines), JSON.stringify(benchmarks))
        await stripCalibrationResult(test.db, BEFORE)
        const stored = await read(test.db)
        expect(JSON.parse(stored?.routines ?? '')).toEqual(without(routines, 'fit'))
        expect(JSON.parse(stored?.benchmarks ?? '')).toEqual(without(benchmarks, 'raw_data'))
      }),
      { numRuns: 200 },
    )
  })

  function without(parts: unknown[], key: string): unknown {
    return JSON.parse(JSON.stringify(parts)).map((part: unknown) => {
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
      return Object.fromEntries(Object.entries(part).filter(([name]) => name !== key))
    })
  }
})
