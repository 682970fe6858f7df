import { expect, test } from 'bun:test'
import { readFit } from '../../../../../ui/pages/calibrations/reading/read-fit.ts'

test.each([
  [{ name: 'frequency', unit: 'Hz' }, 'center', 'Hz'],
  [{ name: 'frequency', unit: 'Hz' }, 'f0', 'Hz'],
  [{ name: 'frequency', unit: 'Hz' }, 'delay', 's'],
  [{ name: 'delay', unit: 's' }, 'frequency', 'Hz'],
  [{ name: 'delay', unit: 's' }, 'decay', 's'],
  [{ name: 'amplitude', unit: 'V' }, 'frequency', '1/V'],
  [{ name: 'amplitude', unit: '' }, 'frequency', ''],
  [{ name: 'delay', unit: 's' }, 'phase', 'rad'],
  [{ name: 'delay', unit: 's' }, 'offset', 'V'],
  [{ name: 'depth', unit: '' }, 'error_rate', ''],
])('along %o the parameter %s is in %p', (x, name, unit) => {
  const fit = readFit({
    x: { ...x, values: [1, 2, 3] },
    y: [1, 2, 3],
    y_unit: 'V',
    params: { [name]: [1, 0.1] },
  })
  expect(fit).toMatchObject({ params: [{ name, unit }] })
})

test('a unit that the report names comes first', () => {
  const params = { f0: { value: 4.61, error: 0.002, unit: 'GHz' } }
  expect(readFit({ x: { name: 'f', unit: 'Hz', values: [1, 2] }, y: [1, 2], params })).toMatchObject({
    params: [{ name: 'f0', unit: 'GHz' }],
  })
})
