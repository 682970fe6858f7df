/**
 * Connections without traffic are closed after this time in s; streams and waiting requests have their own.
 */
export const IDLE_TIMEOUT_SECONDS = 30
