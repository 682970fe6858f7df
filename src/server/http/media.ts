/** Media types of bodies. */
export const JSON_BODY = 'application/json'
export const URL_ENCODED = 'application/x-www-form-urlencoded'
export const MULTIPART = 'multipart/form-data'

/** The media types of routes that clients of the record-store pattern call. */
export const FORM_OR_JSON = [JSON_BODY, MULTIPART, URL_ENCODED] as const
