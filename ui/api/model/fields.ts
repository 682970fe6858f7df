import * as v from 'valibot'

/** Text that may be absent or null; empty then. */
export const text = v.optional(v.nullable(v.string()), '')

/** A number that may be absent or null. */
export const count = v.optional(v.nullable(v.number()))
