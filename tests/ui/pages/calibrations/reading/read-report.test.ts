import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import * as v from 'valibot'
import { calibrationReport } from '../../../../../ui/api/model/calibrations.ts'
import {
  budgetsOf,
  changeTexts,
  prefixOf,
  reportCsv,
  sigmaBar,
  sizeInSigma,
} from '../../../../../ui/pages/calibrations/reading/changes.ts'
import { compareReports } from '../../../../../ui/pages/calibrations/reading/compare.ts'
import { goodnessOf, readFit } from '../../../../../ui/pages/calibrations/reading/read-fit.ts'
import {
  countOutcomes,
  firstResult,
  readReport,
} from '../../../../../ui/pages/calibrations/reading/read-report.ts'
import { calibrationFindings } from '../../../../support/calibration/report.ts'

const report = (findings: object) => readReport(v.parse(calibrationReport, { id: 'r', ...findings }))
const FULL = report(calibrationFindings({ dead: 'q4' }))

describe('readReport()', () => {
  test('reads what tuners write', () => {
    expect(FULL.routines).toHaveLength(33)
    expect(FULL.targets).toEqual(['q0', 'q0_q1', 'q1', 'q1_q2', 'q2', 'q2_q3', 'q3', 'q3_q4', 'q4'])
    expect(countOutcomes(FULL.results)).toMatchObject({ failed: 1, unresolved: 1, blocked: 29 })
    expect(firstResult(FULL)).toMatchObject({ routine: 'qubit_01_spectroscopy', target: 'q4' })
    expect(budgetsOf(FULL).map(({ target }) => target)).toEqual(['q0', 'q1', 'q2', 'q3'])
  })

  test('a value that a note calls never measured is typed', () => {
    const typed = FULL.results.flatMap(({ target, values }) =>
      values.filter((one) => one.typed).map(({ path }) => `${target} ${path}`),
    )
    expect(typed).toEqual(['q1 clock_freqs.f12'])
  })

  test('an upper bound of an error is no value, and a coherent part that is not resolved is not 0', () => {
    const bound = { error: 2e-5, confidence: 0.95 }
    const read = report({
      benchmarks: [
        { protocol: 'rb', target: 'q0', fidelity: null, error: null, upper_bound: bound },
        {
          ...{ protocol: 'rb', target: 'q1', fidelity: 0.999, gate_duration: 5e-8, leakage: 1e-6 },
          error_budget: { upper_bounds: { coherent: 3e-4 } },
        },
      ],
      routines: [
        {
          ...{ routine: 't1', target: 'q1', status: 'success' },
          parameters: { 'coherence.t1': { value: 5e-5 }, 'coherence.t2_echo': { value: 5e-5 } },
        },
      ],
    })
    expect(read.benchmarks[0]).toMatchObject({ fidelity: undefined, error: undefined, upperBound: bound })
    expect(reportCsv(read)).toContain('rb,q0,"error, upper bound of 0.95",,0.00002,,,false')
    expect(budgetsOf(read)).toMatchObject([{ target: 'q1', budget: { coherent: 0, coherentBelow: 3e-4 } }])
  })

  test('never fails, whatever a report contains', () => {
    const parts = fc.record({
      routines: fc.jsonValue(),
      benchmarks: fc.jsonValue(),
      skipped: fc.jsonValue(),
      notes: fc.jsonValue(),
      device_file: fc.jsonValue(),
    })
    const entry = fc.record({
      routine: fc.string(),
      target: fc.string(),
      fit: fc.jsonValue(),
      parameters: fc.jsonValue(),
    })
    fc.assert(
      fc.property(parts, fc.array(entry), (any, routines) => {
        for (const findings of [any, { ...any, routines }]) {
          const read = report(findings)
          for (const { fit, quality, values } of read.results) {
            readFit(fit, quality)
            for (const value of values) changeTexts(value)
          }
          expect(reportCsv(read)).toStartWith('routine,target')
          compareReports(read, read)
        }
      }),
    )
  })
})

describe('readFit()', () => {
  const fitOf = (routine: string) => {
    const result = FULL.results.find((one) => one.routine === routine && one.fit !== undefined)
    return readFit(result?.fit, result?.quality)
  }

  test('knows lines, maps and states', () => {
    expect(fitOf('ramsey_correction')).toMatchObject({
      kind: 'line',
      x: { unit: 's' },
      goodness: { dof: 77 },
    })
    expect(fitOf('cz_chevron')).toMatchObject({ kind: 'map', x: { unit: 'Hz' } })
    expect(fitOf('three_state_discrimination')).toMatchObject({ kind: 'states', unit: 'mV' })
  })

  test('takes bare lists, and has no plot for another shape', () => {
    expect(readFit({ kind: 'line', x: [0, 1], y: [1, 0.37] })).toMatchObject({
      kind: 'line',
      curve: undefined,
    })
    for (const other of [
      { trace: 'µµ' },
      { x: [1], y: [1] },
      { x: [1, 2], y: [1, null] },
      { z: [1, 2] },
      null,
    ])
      expect(readFit(other)).toBeUndefined()
  })

  test('goodnessOf() a perfect curve is 1, of the mean it is not above 0', () => {
    const y = [1, 2, 4, 8, 16]
    expect(goodnessOf(y, y, 2)?.r2).toBe(1)
    expect(goodnessOf(y, [6.2, 6.2, 6.2, 6.2, 6.2], 2)?.r2).toBeLessThanOrEqual(0)
    expect(goodnessOf([1, 1, 1], [1, 1, 1], 1)).toBeUndefined()
  })
})

describe('changes', () => {
  const value = {
    ...{ path: 'clock_freqs.f01', raw: 0, rawPrevious: 0, unit: 'Hz', written: true, typed: false },
    ...{ value: 4.4339465e9, previous: 4.4339182e9, error: 300, previousError: undefined },
  }

  test('stand in the same unit with the digits of their uncertainty', () => {
    expect(changeTexts(value)).toEqual({
      before: '4.4339182\u00a0GHz',
      after: '4.4339465(3)\u00a0GHz',
      change: '+28.3\u00a0kHz',
    })
    expect(sizeInSigma(value)).toBeCloseTo(94.3, 1)
  })

  test('prefixOf() and the bar of deviations', () => {
    expect(prefixOf(2e-6, 's')).toEqual({ factor: 1e-6, unit: 'µs' })
    expect(prefixOf(0.3, '')).toEqual({ factor: 1, unit: '' })
    expect(sigmaBar(0)).toBe(0)
    expect(sigmaBar(-1e9)).toBe(-1)
    expect(sigmaBar(2)).toBeGreaterThan(0)
  })

  test('a spreadsheet runs nothing that a tuner wrote', () => {
    const evil = report({
      routines: [{ routine: '=cmd()', target: 'q0', parameters: { '@x': { value: '+1' } } }],
    })
    expect(reportCsv(evil)).toContain("'=cmd(),q0,'@x,,'+1")
  })
})
