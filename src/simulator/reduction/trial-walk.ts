import { type Op, QasmError, type Sink } from '../../qasm/index.ts'
import { createRng } from '../numeric/random.ts'

/** Ends a trial walk early. */
class TrialEnd extends Error {}

/** Steps after which a trial walk ends: some milliseconds. */
const MAX_STEPS = 50_000

/**
 * Executes a program with feedback once without a state: outcomes are random bits, so that loops which wait
 * for one of them end. `visit` receives the steps that change a state and returns true to end the walk. Other
 * outcomes may lead to other steps.
 */
export function walkOnTrial(
  walk: (sink: Sink) => unknown,
  seed: number,
  visit: (op: Exclude<Op, { kind: 'measure' | 'barrier' }>) => boolean,
): void {
  const rng = createRng(seed)
  let steps = 0
  const count = () => {
    if (++steps > MAX_STEPS) throw new TrialEnd()
  }
  try {
    walk({
      apply(op) {
        count()
        if (op.kind !== 'measure' && op.kind !== 'barrier' && visit(op)) throw new TrialEnd()
      },
      measure() {
        count()
        return rng.next() < 0.5 ? 0 : 1
      },
    })
  } catch (error) {
    // Errors of the program are reported when it runs, if its outcomes lead to them.
    if (!(error instanceof TrialEnd || error instanceof QasmError)) throw error
  }
}
