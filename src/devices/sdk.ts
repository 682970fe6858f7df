/** What `import { … } from 'svc/devices'` gives a device that is loaded by import path. */
export type * from './define-device.ts'
export { defineDevice } from './define-device.ts'
export { CalibrationError, JobError, StartupError } from './errors.ts'
export { createRng, type Rng } from './numeric/random.ts'
export { type OptionSpec, type OptionSpecs, type OptionsOf, OptionValueError, opt } from './options.ts'
export { bitString, circuitResultOf, jobResultsOf } from './results.ts'
