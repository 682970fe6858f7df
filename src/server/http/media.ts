/** Media types of bodies. */
export const JSON_BODY = 'application/json'
export const URL_ENCODED = 'application/x-www-form-urlencoded'
export const MULTIPART = 'multipart/form-data'

/** Headers of a response that goes on until the client leaves. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
} as const
/** The media types of routes that clients of the record-store pattern call. */
export const FORM_OR_JSON = [JSON_BODY, MULTIPART, URL_ENCODED] as const
