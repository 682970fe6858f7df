import type { OpenChoice } from '../circuit.ts'
import { type Cell, FIRST_OUTCOME } from './values.ts'

/** With more open outcomes a condition is not tabulated: each doubles the table. */
const MAX_OUTCOMES = 6

/**
 * The truth of a condition for all values of the open outcomes in the cells that it reads. `isTrue` evaluates
 * it, undefined when it depends on something else; returns undefined then, and when the outcomes are too
 * many.
 */
export function openTruth(
  cells: readonly Cell[],
  isTrue: () => boolean | undefined,
): Pick<OpenChoice, 'outcomes' | 'isTrue'> | undefined {
  const open = cells.filter(({ state }) => state >= FIRST_OUTCOME)
  const states = [...new Set(open.map(({ state }) => state))]
  if (states.length === 0 || states.length > MAX_OUTCOMES) return undefined
  const kept = open.map((cell) => ({ cell, state: cell.state, place: states.indexOf(cell.state) }))
  try {
    const table = Array.from({ length: 2 ** states.length }, (_, values) => {
      for (const { cell, place } of kept) cell.state = (values >> place) & 1
      return isTrue()
    })
    if (!table.every((truth) => truth !== undefined)) return undefined
    return { outcomes: states.map((state) => state - FIRST_OUTCOME), isTrue: table }
  } finally {
    for (const { cell, state } of kept) cell.state = state
  }
}
