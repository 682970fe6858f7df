import type { RunJob } from '../../../src/protocol/index.ts'

/** A `RunJob` whose only circuit is `circuit`. */
export function runJobOf(circuit: string, changes: Partial<RunJob> = {}): RunJob {
  return {
    type: 'RunJob',
    job: 'job000000000001',
    attempt: 1,
    epoch: 1,
    limit_ms: 0,
    payload: { circuits: [{ circuit }], shots: 1, meas_level: 2, meas_return: 'single', memory: false },
    ...changes,
  }
}
