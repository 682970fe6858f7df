import * as v from 'valibot'
import { text } from './fields.ts'

/** The error envelope. */
export const failureBody = v.object({
  message: v.string(),
  code: text,
  request_id: text,
  data: v.optional(
    v.record(
      v.string(),
      v.object({
        code: text,
        message: v.string(),
        params: v.optional(v.nullable(v.record(v.string(), v.unknown()))),
      }),
    ),
    {},
  ),
})
export type FieldFailure = v.InferOutput<typeof failureBody>['data'][string]
