import { defineDevice } from '../../define-device.ts'
import { checkTunerOptions, TUNER_OPTIONS } from '../../tuning/tuner-options.ts'

/** Calibrates the chip of a `scheduler_b` and writes its device file. */
export const schedulerBTuner = defineDevice({
  operation: 'calibrate',
  name: 'scheduler_b_tuner',
  options: TUNER_OPTIONS,
  check: ({ options }) => checkTunerOptions(options),
  // Loaded when it is used: every driver loads the declarations of all devices at its start.
  create: async (context) => (await import('../../built-in-tuner.ts')).createBuiltInTuner(context),
})
