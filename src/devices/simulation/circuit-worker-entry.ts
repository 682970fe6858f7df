import { defineWorker } from '../../base/index.ts'
import type { CircuitWorker } from '../../simulator/index.ts'

/** Runs circuits of a job, one response for each. */
export const circuitWorker: CircuitWorker = defineWorker('src/devices/simulation/circuit-worker.ts')
