/** Whether matrices and long loops run whole, as they do in `npm run check:full`. */
export const RUNS_WHOLE = process.env['SVC_TESTS'] === 'whole'

/** How many rounds, rows or clients a test has: `all`, or in the gate `some`. */
export const part = (all: number, some: number) => (RUNS_WHOLE ? all : some)

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
