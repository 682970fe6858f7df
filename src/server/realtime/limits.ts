import { KIB, MIB } from '../../base/index.ts'

/** Bytes of a record in an event; larger values are sent to topics whose `fields` names them. */
export const RECORD_BYTES = { plain: 64 * KIB, asked: MIB } as const

/** Time in ms after which the work for streams yields to the other work of the server. */
export const TURN_MS = 2
