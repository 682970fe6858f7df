import * as v from 'valibot'
import { text } from '../fields.ts'

const OPERATIONS = ['process', 'monitor', 'calibrate'] as const
export type Operation = (typeof OPERATIONS)[number]
const operation = v.picklist(OPERATIONS)

/** A driver as stored. Times are UTC text, empty until they occur. */
export const driver = v.object({
  id: v.string(),
  name: v.string(),
  qpu: v.string(),
  operation,
  device: text,
  status: v.picklist(['offline', 'online']),
  enabled: v.boolean(),
  command_port: v.number(),
  result_port: v.number(),
  host: text,
  version: text,
  last_seen: text,
  created: text,
})
export type Driver = v.InferOutput<typeof driver>
export const drivers = v.object({ items: v.array(driver) })

/** What one driver sent in the last hour, by minute, the current one last. */
const activity = v.object({
  id: v.string(),
  name: v.string(),
  /** Id of its QPU. */
  qpu: v.string(),
  connected_at: v.string(),
  last_event: v.string(),
  events: v.array(v.number()),
  dropped: v.array(v.number()),
  refused: v.nullable(v.object({ at: v.string(), code: v.string(), message: v.string() })),
})
export type Activity = v.InferOutput<typeof activity>

/** The activity of all drivers, and how drivers reach the server. */
export const driverActivity = v.object({
  svc_addr: v.string(),
  ca_fingerprint: v.string(),
  driver_version: v.string(),
  /** Events per second and driver; 0 = no limit. */
  event_rate_limit: v.number(),
  drivers: v.array(activity),
})
export type DriverActivity = v.InferOutput<typeof driverActivity>

/** The response that shows an access token once. */
export const registration = v.object({ id: v.string(), name: v.string(), token: v.string() })

const option = v.object({
  key: v.string(),
  source: v.picklist(['option', 'environment']),
  label: v.string(),
  /** Heading in the form; empty = none. */
  group: v.string(),
  unit: v.nullable(v.string()),
  /** `boolean`, `choice`, `n`, `seconds`, `path`, `url`, `text`, or a list such as `text,…`. */
  form: v.string(),
  choices: v.array(v.string()),
  required: v.boolean(),
  default: v.nullable(v.string()),
  example: v.nullable(v.string()),
  help: v.string(),
  secret: v.boolean(),
})
export type DeviceOption = v.InferOutput<typeof option>

/** A built-in device with the options that its driver accepts. */
const device = v.object({ operation, name: v.string(), options: v.array(option) })
export type Device = v.InferOutput<typeof device>
export const devices = v.array(device)

/** An event that a driver reported. */
const driverEvent = v.object({
  id: v.string(),
  type: v.string(),
  ts: v.string(),
  driver: v.optional(v.string(), ''),
  payload: v.unknown(),
})
export type DriverEvent = v.InferOutput<typeof driverEvent>
export const driverEvents = v.object({ items: v.array(driverEvent), totalItems: v.optional(v.number()) })
