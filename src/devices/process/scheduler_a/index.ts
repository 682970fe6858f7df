import { defineDevice } from '../../define-device.ts'
import { jobTimeoutOf, SCHEDULER_OPTIONS } from '../../scheduler/options.ts'

/** Runs circuits on a chip of superconducting qubits, by pulses. */
export const schedulerA = defineDevice({
  operation: 'process',
  name: 'scheduler_a',
  options: SCHEDULER_OPTIONS,
  jobTimeout: jobTimeoutOf,
  // Loaded when it is used: every driver loads the declarations of all devices at its start.
  create: async (context) => (await import('../../scheduler/scheduler-device.ts')).createScheduler(context),
  checkInstrument: async (context, order) =>
    (await import('../../scheduler/check-instrument.ts')).checkSchedulerInstrument(context, order),
})
