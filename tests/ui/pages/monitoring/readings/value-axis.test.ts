import { expect, test } from 'bun:test'
import { changeAxis, describeAxis, readAxes } from '../../../../../ui/pages/monitoring/readings/value-axis.ts'

test('readAxes() reads the axis of each unit and ignores other texts', () => {
  const axes = readAxes([
    'K:0.009..0.013',
    'mbar:each',
    'l/min:log',
    ':linear',
    'V:2..1',
    'A:1..',
    'W:x',
    'Pa:1..2..3',
  ])
  expect([...axes]).toEqual([
    ['K', [0.009, 0.013]],
    ['mbar', 'each'],
    ['l/min', 'log'],
    ['', 'linear'],
  ])
})

test('changeAxis() replaces the axis of one unit, and readAxes() reads it back', () => {
  const changed = changeAxis(['K:log', 'mbar:each'], 'K', [0.01, 0.012])
  expect([...readAxes(changed)]).toEqual([
    ['mbar', 'each'],
    ['K', [0.01, 0.012]],
  ])
  expect(changeAxis(changed, 'mbar', undefined)).toEqual(['K:0.01..0.012'])
})

test('describeAxis() names the ends with their unit', () => {
  expect(describeAxis([0.01, 0.012], 'K').replaceAll('\u00a0', ' ')).toBe('10 mK to 12 mK')
  expect(describeAxis('each', 'K')).toBe('One plot per channel')
})
