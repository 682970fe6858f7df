/** The exports of `svc/devices`, for devices that are loaded by import path. */

export type { DeviceDescription } from '../protocol/index.ts'
export { bitString, createRng, type Rng } from '../simulator/index.ts'
export type * from './define-device.ts'
export { defineDevice } from './define-device.ts'
export { CalibrationError, JobError, OrderError, StartupError } from './errors.ts'
export { fitCosine } from './fitting/models/cosine.ts'
export { fitDampedCosine } from './fitting/models/damped-cosine.ts'
export { fitExponential } from './fitting/models/exponential.ts'
export { fitFringeDecay } from './fitting/models/fringe-decay.ts'
export { fitLorentzian } from './fitting/models/lorentzian.ts'
export { type OptionSpec, type OptionSpecs, type OptionsOf, OptionValueError, opt } from './options.ts'
export { circuitResultOf, jobResultsOf } from './results.ts'
export { accepted } from './tuning/measure/accept.ts'
export { averages, populations } from './tuning/measure/references.ts'
export {
  acquire,
  defineRoutine,
  type Finding,
  type Measurement,
  type Routine,
  type RoutineContext,
  RoutineError,
} from './tuning/routine.ts'
