import { expect, test } from 'bun:test'
import { compareCounts } from '../../../ui/jobs/compare.ts'
import {
  describeComparison,
  formatDifference,
  formatProbability,
  formatSigmas,
} from '../../../ui/jobs/compare-text.ts'

test('numbers have a sign and a fixed number of digits', () => {
  expect([formatDifference(0.02168), formatDifference(-0.5), formatSigmas(-3.56)]).toEqual([
    '+0.0217',
    '−0.5000',
    '−3.6',
  ])
  expect([formatProbability(0.32), formatProbability(3e-7), formatProbability(0)]).toEqual([
    'p = 0.320',
    'p < 10⁻⁶',
    'p < 10⁻¹⁵',
  ])
})

test('the sentence says whether the difference is more than noise', () => {
  const same = compareCounts({ '0': 500, '1': 500 }, { '0': 510, '1': 490 })
  expect(describeComparison(same, 'b')).toStartWith('No difference beyond shot noise: the largest, of 0, is ')
  const apart = compareCounts({ '0': 900, '1': 100 }, { '0': 500, '1': 500 })
  expect(describeComparison(apart, 'b')).toMatch(
    /^Different beyond shot noise: 0 is less frequent in b, \d+\.\d σ/,
  )
  expect(describeComparison(compareCounts({}, {}), 'b')).toBe('Neither job has counts.')
})
