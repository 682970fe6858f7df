import { defineDevice } from '../../define-device.ts'
import { jobTimeoutOf, SCHEDULER_B_OPTIONS } from '../../scheduler/options.ts'

/** As `scheduler_a`; with `save_raw_data` it also keeps what the instrument returned. */
export const schedulerB = defineDevice({
  operation: 'process',
  name: 'scheduler_b',
  options: SCHEDULER_B_OPTIONS,
  jobTimeout: jobTimeoutOf,
  // Loaded when it is used: every driver loads the declarations of all devices at its start.
  create: async (context) => (await import('../../scheduler/scheduler-device.ts')).createScheduler(context),
  checkInstrument: async (context, order) =>
    (await import('../../scheduler/check-instrument.ts')).checkSchedulerInstrument(context, order),
})
