import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { maxRows, pagesOf, windowOf } from '../../../ui/lib/window.ts'

test('the window covers the screen and stays within the list', () => {
  const px = fc.double({ min: -2_000, max: 4_000_000, noNaN: true })
  fc.assert(
    fc.property(px, fc.integer({ min: 0, max: 100_000 }), (scrolled, rows) => {
      const [height, rowHeight] = [900, 36]
      const { from, to } = windowOf({ scrolled, height, rowHeight, rows })
      expect(from).toBeWithin(0, Math.max(1, rows))
      expect(to).toBeWithin(from, rows + 1)
      for (const px of [Math.max(0, scrolled), scrolled + height - 1]) {
        const row = Math.floor(px / rowHeight)
        if (scrolled + height > 0 && row < rows) expect(row).toBeWithin(from, to)
      }
      expect(to - from).toBeLessThanOrEqual(maxRows({ height, rowHeight }))
    }),
  )
})

test('pagesOf() lists the pages of a window', () => {
  expect(pagesOf({ from: 0, to: 100 }, 100)).toEqual([0])
  expect(pagesOf({ from: 95, to: 201 }, 100)).toEqual([0, 1, 2])
  expect(pagesOf({ from: 0, to: 0 }, 100)).toEqual([0])
})
