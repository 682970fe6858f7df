/** The exports of `svc/devices`, for devices that are loaded by import path. */

export { bitString, createRng, type Rng } from '../simulator/index.ts'
export type * from './define-device.ts'
export { defineDevice } from './define-device.ts'
export { CalibrationError, JobError, StartupError } from './errors.ts'
export { type OptionSpec, type OptionSpecs, type OptionsOf, OptionValueError, opt } from './options.ts'
export { circuitResultOf, jobResultsOf } from './results.ts'
