/** Descriptions of devices and values of calibrations, as far as the dashboard shows them. */
import * as v from 'valibot'
import { count, text } from '../fields.ts'

const optionalNumber = v.optional(v.number())

/** What a device says of itself. */
export const description = v.object({
  qubits: v.optional(
    v.array(
      v.object({
        name: v.string(),
        x: optionalNumber,
        y: optionalNumber,
        t1_s: optionalNumber,
        t2_s: optionalNumber,
        frequency_hz: optionalNumber,
        readout_error: optionalNumber,
        operational: v.optional(v.boolean(), true),
      }),
    ),
    [],
  ),
  gates: v.optional(
    v.array(
      v.object({
        name: v.string(),
        virtual: v.optional(v.boolean(), false),
        on: v.optional(
          v.array(
            v.object({
              qubits: v.array(v.number()),
              error: optionalNumber,
              duration_s: optionalNumber,
              operational: v.optional(v.boolean(), true),
            }),
          ),
          [],
        ),
      }),
    ),
    [],
  ),
  simulator: v.optional(v.boolean(), false),
  calibrated_at: text,
  limits: v.optional(v.object({ shots: count, executions: count, qubits: count }), {}),
  features: v.optional(v.array(v.string())),
})
export type Description = v.InferOutput<typeof description>

const measurement = {
  at: v.string(),
  value: v.number(),
  error: v.nullable(v.number()),
  routine: v.string(),
  report: v.string(),
}

/** The newest value of each parameter of a QPU. */
export const calibrationValues = v.object({
  values: v.array(v.object({ element: v.string(), parameter: v.string(), unit: v.string(), ...measurement })),
})
export type CalibrationValue = v.InferOutput<typeof calibrationValues>['values'][number]

/** The medians of a QPU after each calibration, by parameter, oldest first. */
export const calibrationMedians = v.object({
  series: v.array(
    v.object({
      parameter: v.string(),
      unit: v.string(),
      values: v.array(v.object({ at: v.string(), value: v.number(), count: v.number() })),
    }),
  ),
})
export type MedianSeries = v.InferOutput<typeof calibrationMedians>['series'][number]

/** The values of one parameter over time, oldest first. */
export const parameterHistory = v.object({ unit: v.string(), values: v.array(v.object(measurement)) })
export type ParameterHistory = v.InferOutput<typeof parameterHistory>
