import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { calibrationReport } from '../../../../../ui/api/model/calibrations.ts'
import {
  compareReports,
  countUnpaired,
  expectedByChance,
} from '../../../../../ui/pages/calibrations/reading/compare.ts'
import { readReport } from '../../../../../ui/pages/calibrations/reading/read-report.ts'
import { sortDifferences } from '../../../../../ui/pages/calibrations/report/sort-differences.ts'
import { calibrationFindings } from '../../../../support/calibration/report.ts'

const report = (findings: object) => readReport(v.parse(calibrationReport, { id: 'r', ...findings }))
const BEFORE = report(calibrationFindings({ dead: 'q4' }))
const AFTER = report(calibrationFindings({ day: 30, seed: 8 }))

test('compareReports() lists common values, the most different first', () => {
  const rows = compareReports(BEFORE, AFTER)
  expect(rows.length).toBeGreaterThan(30)
  const sizes = rows.map(({ sigma }) => Math.abs(sigma ?? 0))
  expect(sizes).toEqual([...sizes].sort((a, b) => b - a))
})

test('a month of drift moves frequencies far beyond what noise does', () => {
  const rows = compareReports(BEFORE, AFTER)
  const moved = rows.filter(({ path }) => path === 'clock_freqs.f01')
  expect(moved).toHaveLength(4)
  for (const { sigma } of moved) expect(Math.abs(sigma ?? 0)).toBeGreaterThan(2)
  const known = rows.filter(({ sigma }) => sigma !== undefined).length
  expect(expectedByChance(rows, 2)).toBeCloseTo(known * 0.0455, 2)
})

test('values of a single report are counted', () => {
  const { before, after } = countUnpaired(BEFORE, AFTER)
  expect(before).toBe(0)
  expect(after).toBeGreaterThan(5)
  expect(countUnpaired(AFTER, AFTER)).toEqual({ before: 0, after: 0 })
})

test('sortDifferences() by name and by size, in both directions', () => {
  const rows = compareReports(BEFORE, AFTER)
  const names = sortDifferences(rows, 'name').map(({ target }) => target)
  expect(names[0]).toBe('q0')
  expect(sortDifferences(rows, '-name').at(-1)?.target).toBe('q0')
  expect(sortDifferences(rows, '-size')[0]).toBe(rows[0])
  expect(Math.abs(sortDifferences(rows, 'size').at(-1)?.sigma ?? 0)).toBe(Math.abs(rows[0]?.sigma ?? 0))
})
