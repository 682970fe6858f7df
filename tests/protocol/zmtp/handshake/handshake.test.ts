import { describe, expect, test } from 'bun:test'
import { encodeProperties, parseProperties } from '../../../../src/protocol/zmtp/framing/command.ts'
import {
  nullPeer,
  ownProperties,
  plainClient,
  plainServer,
  reasonUnfit,
} from '../../../../src/protocol/zmtp/handshake/handshake.ts'

const NOTHING = new Uint8Array(0)
const options = { properties: ownProperties('pull', '1', '2026.11.0'), maxProperties: 32 }
const client = () => plainClient({ ...options, user: 'ab', password: 'c' })
const metadata = encodeProperties(ownProperties('push', '1', undefined))
const hello = { name: 'HELLO', data: Buffer.from('\x02ab\x01c', 'latin1') }
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? NOTHING).toString('latin1')

describe('plainServer()', () => {
  test('verifies HELLO, then completes with INITIATE and sends READY', () => {
    const handshake = plainServer(options)
    expect(handshake.opening).toBeUndefined()
    expect(handshake.receive(hello)).toEqual({ kind: 'verify', user: 'ab', password: 'c' })
    const step = handshake.receive({ name: 'INITIATE', data: metadata })
    if (step.kind !== 'complete') throw new Error(`unexpected step ${step.kind}`)
    expect(step.properties.get('socket-type')).toBe('PUSH')
    expect(text(step.reply)).toContain('READY')
    expect(text(step.reply)).toContain('X-Svc-Version\x00\x00\x00\x092026.11.0')
  })

  test.each([
    ['INITIATE first', [{ name: 'INITIATE', data: metadata }], 'expected HELLO'],
    ['a second HELLO', [hello, hello], 'expected INITIATE'],
    ['ERROR', [{ name: 'ERROR', data: NOTHING }], 'expected HELLO'],
    [
      'a second INITIATE',
      [hello, { name: 'INITIATE', data: metadata }, { name: 'INITIATE', data: metadata }],
      'expected nothing more',
    ],
  ])('refuses %s', (_name, commands, message) => {
    const handshake = plainServer(options)
    expect(() => commands.map((command) => handshake.receive(command))).toThrow(message)
  })
})

describe('plainClient()', () => {
  test('opens with HELLO, sends INITIATE after WELCOME and completes with READY', () => {
    const handshake = client()
    expect(text(handshake.opening)).toContain('HELLO\x02ab\x01c')
    const reply = handshake.receive({ name: 'WELCOME', data: NOTHING })
    expect(reply.kind === 'reply' && text(reply.bytes)).toContain('INITIATE')
    const step = handshake.receive({ name: 'READY', data: metadata })
    expect(step).toMatchObject({ kind: 'complete', reply: undefined })
  })

  test('is refused at either step', () => {
    const error = { name: 'ERROR', data: Buffer.from('\x03400') }
    expect(client().receive(error)).toEqual({ kind: 'refused', reason: '400' })
    const welcomed = client()
    welcomed.receive({ name: 'WELCOME', data: NOTHING })
    expect(welcomed.receive(error)).toEqual({ kind: 'refused', reason: '400' })
  })

  test('refuses READY before WELCOME and a WELCOME with data', () => {
    expect(() => client().receive({ name: 'READY', data: metadata })).toThrow('expected WELCOME')
    expect(() => client().receive({ name: 'WELCOME', data: metadata })).toThrow('carries data')
  })
})

describe('nullPeer()', () => {
  test('opens with READY and completes with READY', () => {
    const handshake = nullPeer(options)
    expect(text(handshake.opening)).toContain('READY')
    expect(handshake.receive({ name: 'READY', data: metadata })).toMatchObject({ kind: 'complete' })
    expect(() => nullPeer(options).receive(hello)).toThrow('expected READY')
  })
})

describe('reasonUnfit()', () => {
  const peer = (properties: Record<string, string>) => parseProperties(encodeProperties(properties), 32)

  test('accepts the opposite type with our protocol, a libzmq peer without any, and unknown properties', () => {
    expect(reasonUnfit(peer(ownProperties('push', '1', 'x')), 'pull', '1')).toBeUndefined()
    expect(
      reasonUnfit(peer({ 'SOCKET-TYPE': 'PUSH', Identity: '', 'X-Other': 'y' }), 'pull', '1'),
    ).toBeUndefined()
  })

  test('names both sides of a mismatch', () => {
    expect(reasonUnfit(peer({ 'Socket-Type': 'PULL' }), 'pull', '1')).toBe(
      'socket type PULL cannot be connected to PULL, only PUSH',
    )
    expect(reasonUnfit(peer({}), 'push', '1')).toContain('socket type (none)')
    expect(reasonUnfit(peer(ownProperties('push', '2', 'x')), 'pull', '1')).toBe(
      'the peer speaks protocol 2, this side protocol 1; update the older one',
    )
  })
})
