export type { ExecutionResult, RunControl } from './batch/batch-job.ts'
export { circuitHandler } from './batch/circuit-handler.ts'
export { DEFAULT_BOND } from './batch/circuit-runner.ts'
export type { CircuitWorker } from './batch/circuit-workers.ts'
export { AUTOMATIC } from './circuits/choose-method.ts'
export {
  type CircuitRequest,
  type Execution,
  executionsOf,
  type JobLimits,
  lowerExecution,
  validateCircuits,
} from './circuits/executions.ts'
export { SimulationError, WorkerEndedError } from './errors.ts'
export type { ExactValues } from './exact/exact-sums.ts'
export { FORMATS, type Precision } from './kernel/layout.ts'
export { METHODS } from './methods/index.ts'
export {
  amplitudeDamping,
  type Channel,
  depolarizing,
  isComplete,
  pauliChannel,
  phaseDamping,
  thermalRelaxation,
} from './noise/channel.ts'
export { channelsByRules, type GateRule } from './noise/gate-rules.ts'
export {
  type ChannelOp,
  defineNoiseModel,
  type Noise,
  type NoiseModel,
  type NoiseSource,
  onQubit,
} from './noise/noise-model.ts'
export { createRng, newSeed, type Rng } from './numeric/random.ts'
export { EXACT_READOUT, type ReadoutError, type ShotMemory } from './readout/readout.ts'
export { createSimulator, type SimulationRequest, Simulator } from './simulator.ts'
export { bitString } from './tally/bit-string.ts'
export { ResultBudget } from './tally/result-budget.ts'
export { Tally } from './tally/tally.ts'
