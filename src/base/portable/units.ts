/** Units of time in ms and in s, and of sizes in bytes. */
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
export const MINUTE_S = 60
export const HOUR_S = 60 * MINUTE_S
export const DAY_S = 24 * HOUR_S
export const WEEK_S = 7 * DAY_S
export const KIB = 1024
export const MIB = 1024 * KIB
export const GIB = 1024 * MIB
