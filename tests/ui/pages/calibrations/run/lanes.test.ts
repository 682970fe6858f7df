import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { placeInLanes, relatedRows } from '../../../../../ui/pages/calibrations/run/lanes.ts'
import { GRAPH } from '../../../../support/calibration/graph.ts'

const node = (routine: string, ...dependsOn: string[]) => ({ routine, dependsOn })

/** Plans in which every routine follows routines before it. */
const plans = fc
  .array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 40 })
  .map((parents) =>
    parents.map((list, row) => node(`r${row}`, ...(row === 0 ? [] : list.map((at) => `r${at % row}`)))),
  )

test('placeInLanes() keeps a chain in one lane and opens lanes for branches', () => {
  const plan = [node('a'), node('b', 'a'), node('c', 'a'), node('d', 'b'), node('e', 'd', 'c')]
  expect(placeInLanes(plan).map(({ lane }) => lane)).toEqual([0, 0, 1, 0, 0])
  expect(placeInLanes([node('a', 'unknown')])).toEqual([{ lane: 0, parent: undefined }])
})

test('the lines of a plan never run through another routine or another line', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const placed = placeInLanes(plan)
      const used = new Set<string>()
      for (const [row, { lane, parent }] of placed.entries()) {
        expect(parent ?? -1).toBeLessThan(row)
        for (let at = (parent ?? row - 1) + 1; at <= row; at += 1) {
          expect(used.has(`${lane}/${at}`)).toBe(false)
          used.add(`${lane}/${at}`)
        }
      }
    }),
  )
})

test('the 33 routines need at most ten lanes', () => {
  const placed = placeInLanes(GRAPH.map(({ routine, depends_on }) => node(routine, ...depends_on)))
  expect(Math.max(...placed.map(({ lane }) => lane))).toBeLessThan(10)
})

test('relatedRows() has all parents and children of a row, and no siblings', () => {
  const plan = [node('a'), node('b', 'a'), node('c', 'a'), node('d', 'b')]
  expect(relatedRows(plan, 1)).toEqual(new Set([0, 1, 3]))
  expect(relatedRows([node('a', 'b'), node('b', 'a')], 0)).toEqual(new Set([0, 1]))
})
