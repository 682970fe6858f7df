import * as v from 'valibot'
import { CALIBRATION_LIMITS } from '../calibration.ts'
import { defineEvent } from '../define-event.ts'

const fidelity = v.pipe(v.number(), v.finite())

/** A tuner could not bring a target back above its threshold, and pauses automatic calibrations of it. */
export const targetDegraded = defineEvent({
  type: 'TargetDegraded',
  log: true,
  payload: v.object({
    target: v.pipe(v.string(), v.maxLength(CALIBRATION_LIMITS.nameLength)),
    /** Null when the benchmark itself fails. */
    fidelity: v.nullable(fidelity),
    threshold: fidelity,
    /** s until the next automatic calibration of the target. */
    paused_s: v.pipe(v.number(), v.minValue(0)),
  }),
})
