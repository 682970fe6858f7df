/** Whether matrices and long loops run whole, as they do in `npm run check:full`. */
export const RUNS_WHOLE = process.env['SVC_TESTS'] === 'whole'

/** How many rounds, rows or clients a test has: `all`, or in the gate `some`. */
export const part = (all: number, some: number) => (RUNS_WHOLE ? all : some)

/** The rows of a table that a test runs: all, or in the gate the first `count`. */
export const rows = <R>(table: readonly R[], count: number) => table.slice(0, part(table.length, count))

/**
 * The combinations of `rows` and `columns` that a test runs: all of them, or in the gate one of each row, so
 * that each column has its share.
 */
export function combinations<R, C>(rows: readonly R[], columns: readonly C[]): [R, C][] {
  return rows.flatMap((row, at) =>
    columns
      .filter((_, column) => RUNS_WHOLE || column === at % columns.length)
      .map((column): [R, C] => [row, column]),
  )
}
