import {
  type Command,
  encodeCommand,
  encodeHello,
  encodeProperties,
  type Properties,
  parseError,
  parseHello,
  parseProperties,
} from '../framing/command.ts'
import { WireError } from '../framing/wire-error.ts'

/** Direction of a socket: a PUSH only sends messages, a PULL only receives them. */
export type Role = 'push' | 'pull'

/** Version of the protocol above ZMTP. */
export const PROTOCOL_VERSION = '1'

const SOCKET_TYPES = { push: 'PUSH', pull: 'PULL' } as const
const OPPOSITE = { push: 'PULL', pull: 'PUSH' } as const

/** What the connection has to do after a command of the peer. */
export type HandshakeStep =
  /** PLAIN server: verify these credentials, then send `WELCOME` and continue, or refuse. */
  | { kind: 'verify'; user: string; password: string }
  /** Send this and continue. */
  | { kind: 'reply'; bytes: Uint8Array }
  /** The peer has identified itself: check it, send `reply` if there is one, then messages may flow. */
  | { kind: 'complete'; properties: Properties; reply: Uint8Array | undefined }
  /** The peer refused this side for `reason`. */
  | { kind: 'refused'; reason: string }

/**
 * One side's part of a handshake, without input or output.
 *
 * | Mechanism and side | Opening | Then expects | Sends |
 * |---|---|---|---|
 * | PLAIN server | – | `HELLO`, `INITIATE` | `WELCOME` once verified, `READY` |
 * | PLAIN client | `HELLO` | `WELCOME`, `READY` | `INITIATE`, – |
 * | NULL, both | `READY` | `READY` | – |
 */
export interface Handshake {
  /** Sent as soon as the peer's greeting is accepted. */
  readonly opening: Uint8Array | undefined
  /** @throws WireError when the command is malformed or out of turn. */
  receive(command: Command): HandshakeStep
}

interface HandshakeOptions {
  /** Metadata of this side, by name. */
  properties: Readonly<Record<string, string>>
  /** Maximum number of properties of the peer. */
  maxProperties: number
}

/** Metadata of this side for one socket; an empty version is omitted. */
export function ownProperties(role: Role, protocolVersion: string, appVersion: string | undefined) {
  return {
    'Socket-Type': SOCKET_TYPES[role],
    'X-Svc-Protocol': protocolVersion,
    ...(appVersion && { 'X-Svc-Version': appVersion }),
  }
}

/** Why a peer with this metadata cannot connect to this socket; undefined when it can. */
export function reasonUnfit(properties: Properties, role: Role, protocolVersion: string): string | undefined {
  const type = properties.get('socket-type')
  if (type !== OPPOSITE[role]) {
    return `socket type ${type ?? '(none)'} cannot be connected to ${SOCKET_TYPES[role]}, only ${OPPOSITE[role]}`
  }
  const theirs = properties.get('x-svc-protocol')
  if (theirs !== undefined && theirs !== protocolVersion) {
    return `the peer speaks protocol ${theirs}, this side protocol ${protocolVersion}; update the older one`
  }
  return undefined
}

function outOfTurn(command: Command, expected: string): WireError {
  return new WireError(
    `command ${JSON.stringify(command.name.slice(0, 32))} during the handshake, expected ${expected}`,
  )
}

/** The side that listens and verifies user and password. */
export function plainServer(options: HandshakeOptions): Handshake {
  let expected: 'HELLO' | 'INITIATE' | 'nothing more' = 'HELLO'
  return {
    opening: undefined,
    receive(command) {
      if (command.name !== expected) throw outOfTurn(command, expected)
      if (expected === 'HELLO') {
        expected = 'INITIATE'
        return { kind: 'verify', ...parseHello(command.data) }
      }
      expected = 'nothing more'
      return {
        kind: 'complete',
        properties: parseProperties(command.data, options.maxProperties),
        reply: encodeCommand('READY', encodeProperties(options.properties)),
      }
    },
  }
}

/** Response of the server to a verified `HELLO`. */
export const WELCOME = encodeCommand('WELCOME')

/** The side that connects and sends user and password. */
export function plainClient(options: HandshakeOptions & { user: string; password: string }): Handshake {
  let expected: 'WELCOME' | 'READY' = 'WELCOME'
  return {
    opening: encodeHello(options.user, options.password),
    receive(command) {
      if (command.name === 'ERROR') return { kind: 'refused', reason: parseError(command.data) }
      if (command.name !== expected) throw outOfTurn(command, expected)
      if (expected === 'WELCOME') {
        if (command.data.length > 0) throw new WireError('WELCOME carries data')
        expected = 'READY'
        return { kind: 'reply', bytes: encodeCommand('INITIATE', encodeProperties(options.properties)) }
      }
      const properties = parseProperties(command.data, options.maxProperties)
      return { kind: 'complete', properties, reply: undefined }
    },
  }
}

/** Either side without authentication. */
export function nullPeer(options: HandshakeOptions): Handshake {
  return {
    opening: encodeCommand('READY', encodeProperties(options.properties)),
    receive(command) {
      if (command.name === 'ERROR') return { kind: 'refused', reason: parseError(command.data) }
      if (command.name !== 'READY') throw outOfTurn(command, 'READY')
      return {
        kind: 'complete',
        properties: parseProperties(command.data, options.maxProperties),
        reply: undefined,
      }
    },
  }
}
