import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { summarizeEvent } from '../../../../ui/pages/events/summarize-event.ts'

test.each([
  [
    { readings: { 'm.t': { value: 0.0101, unit: 'K' }, 'm.v': { value: null, text: 'open' }, 'm.p': {} } },
    't 10.10 mK, v open, p no value',
  ],
  [{ step: 3, name: 'rabi', plan: [1, 2] }, 'step 3, name rabi … 1 more'],
  [{}, ''],
  [null, 'null'],
])('summarizeEvent() of %p is %p', (payload, text) => {
  expect(summarizeEvent({ payload }).replaceAll('\u00a0', ' ')).toBe(text)
})

test('summarizeEvent() stays short whatever a driver sends', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (payload) => {
      expect(summarizeEvent({ payload }).length).toBeLessThan(200)
    }),
  )
})
