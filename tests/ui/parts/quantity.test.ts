import { expect, test } from 'bun:test'
import { Quantity } from '../../../ui/parts/Quantity.tsx'

test('Quantity shows a value with its unit and uncertainty in one piece, and a dash without a value', () => {
  const shown = Quantity({ value: 5.1234, unit: 'GHz', uncertainty: 0.0012 })
  expect(shown.props).toMatchObject({ class: 'quantity', children: '5.1234(12)\u00a0GHz' })
  expect(Quantity({ value: null }).props).toMatchObject({ children: '–' })
})
