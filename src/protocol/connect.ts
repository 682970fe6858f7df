import * as v from 'valibot'

/** Operation of a driver. The set is closed: the server has a handler for each. */
export const OPERATIONS = ['process', 'monitor', 'calibrate'] as const
export const operation = v.picklist(OPERATIONS)
export type Operation = (typeof OPERATIONS)[number]

/** Characters of the reason with which a driver says why it could not attach. */
export const MAX_FAILURE_LENGTH = 300
const shortText = v.pipe(v.string(), v.maxLength(255))

/** Body of `POST /api/op/drivers/connect`. `access_token` is the older name of `token`. */
export const connectRequest = v.object({
  token: v.optional(v.pipe(v.string(), v.nonEmpty(), v.maxLength(512))),
  access_token: v.optional(v.pipe(v.string(), v.nonEmpty(), v.maxLength(512))),
  name: v.optional(shortText),
  operation: v.optional(operation),
  device: v.optional(shortText),
  host: v.optional(shortText),
  version: v.optional(shortText),
  /**
   * Random text of the driver process. Only the process that has the lease may request it again; another one,
   * or one that sends no `instance`, is refused until the holder has been silent for its heartbeat limit.
   */
  instance: v.optional(v.pipe(v.string(), v.nonEmpty(), v.maxLength(64))),
  /** Why this process could not attach after its last connect, for the pages; '' or left out: it could. */
  failure: v.optional(v.pipe(v.string(), v.maxLength(MAX_FAILURE_LENGTH))),
})
export type ConnectRequest = v.InferOutput<typeof connectRequest>

const port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))

/** Response of the connect route: ports and credentials of the message sockets. */
export const connectResponse = v.object({
  status: v.literal('success'),
  /** Driver id: the user name on both sockets. */
  id: v.string(),
  name: v.string(),
  operation,
  /** Id and name of the QPU this driver serves. */
  qpu: v.string(),
  qpu_name: v.string(),
  /** Server pushes, driver pulls. */
  command_port: port,
  /** Driver pushes, server pulls. */
  result_port: port,
  socket_host: v.string(),
  /** Password on both sockets: a compact JWT, at most 255 bytes, valid for its first use within 60 s. */
  auth_token: v.pipe(v.string(), v.maxLength(255)),
  /** SHA-256 fingerprint of the server's root CA. */
  tls_hash: v.string(),
  /** Number of this lease, which only grows. Dispatches carry it. */
  epoch: v.pipe(v.number(), v.integer()),
})
export type ConnectResponse = v.InferOutput<typeof connectResponse>

/** Claims of the socket JWT: short names keep it within one PLAIN field (255 bytes). */
export const socketClaims = v.object({
  /** Driver id. */
  sub: v.string(),
  /** Lease epoch as text: connections of one lease may replace each other. */
  jti: v.string(),
  aud: v.literal('svc-socket'),
  exp: v.number(),
})
export type SocketClaims = v.InferOutput<typeof socketClaims>
