import { defineCollection } from '../schema/collection.ts'
import { bool, date, json, largeJson, optionalChoice, relation, text } from '../schema/fields/index.ts'

const SIGNED_IN = '@request.auth.id != ""'
const REPORT_BYTES = 33_554_432

/** The condition of a report whose values hold until the next one; others have changed and found nothing. */
export const IN_FORCE = "status = 'success' OR status = 'partial_failure'"

abstract class LargeValues {
  abstract accessor routines: unknown
  abstract accessor benchmarks: unknown
  abstract accessor skipped: unknown
  abstract accessor notes: unknown
}

/** Reports of calibrations and of drift checks (those without `request`). */
export const calibrationResults = defineCollection({
  name: 'calibration_results',
  fields: {
    driver: relation('drivers'),
    qpu: relation('qpus'),
    request: relation('calibration_requests', { keep: true }),
    mode: optionalChoice(['fidelity_check', 'partial', 'full']),
    status: optionalChoice(['success', 'partial_failure', 'failed', 'aborted']),
    routines: largeJson(LargeValues, {
      maxBytes: REPORT_BYTES,
      help: '[{routine, target, status, parameters, error?, fit?}]',
    }),
    benchmarks: largeJson(LargeValues, {
      maxBytes: REPORT_BYTES,
      help: '[{protocol, target, fidelity, error, raw_data?}]',
    }),
    skipped: largeJson(LargeValues, { maxBytes: REPORT_BYTES, help: '[{routine, target, reason, detail}]' }),
    notes: largeJson(LargeValues, { maxBytes: REPORT_BYTES, help: 'Remarks of the tuner, one text each' }),
    backend: text({ max: 100, help: 'Which device measured, and on what' }),
    device_file: json({ help: 'Values changed in the device file, and its hashes before and after' }),
    error: text({ max: 100_000, help: 'Errors, one per line' }),
    started_at: date(),
    finished_at: date(),
    traces_stripped: bool(),
    values_stored_at: date({ internal: true, help: 'When its values were copied to calibration_values' }),
    run_id: text({ internal: true, unique: true, help: 'Id of the run that produced the report' }),
  },
  rules: { list: SIGNED_IN, view: SIGNED_IN, create: null, update: null, remove: null },
  indexes: [
    ['qpu'],
    // For the calibration that is in force when a job runs.
    { on: ['qpu', 'finished_at'], where: IN_FORCE },
    ['finished_at'],
    ['traces_stripped', 'finished_at'],
    { on: ['seq'], where: "values_stored_at = ''" },
  ],
})
