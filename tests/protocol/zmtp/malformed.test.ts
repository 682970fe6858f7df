import { expect, test } from 'bun:test'
import { MessageAssembler } from '../../../src/protocol/zmtp/framing/assembler.ts'
import {
  encodeCommand,
  encodeHello,
  encodeProperties,
  parseCommand,
} from '../../../src/protocol/zmtp/framing/command.ts'
import { COMMAND, encodeFrame, FrameDecoder, MORE } from '../../../src/protocol/zmtp/framing/frame.ts'
import { WireError } from '../../../src/protocol/zmtp/framing/wire-error.ts'
import { checkGreeting, encodeGreeting } from '../../../src/protocol/zmtp/handshake/greeting.ts'
import { plainClient, plainServer } from '../../../src/protocol/zmtp/handshake/handshake.ts'
import { closeRow, faultRuns } from '../../support/faults/fault-runs.ts'

// Row H19 of docs/reference/faults.md: the codec of the message sockets under malformed streams. The same
// test through real sockets is in socket-malformed.test.ts.
const CASES = faultRuns(20_000)
const MESSAGE_BYTES = 10_000

/** Reproducible numbers below `2^32` (xorshift). */
function random(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

const GOOD = [
  encodeHello('driver', 'password'),
  encodeCommand('INITIATE', encodeProperties({ 'Socket-Type': 'PUSH', Identity: 'x' })),
  encodeCommand('WELCOME'),
  encodeCommand('READY', encodeProperties({ 'Socket-Type': 'PULL' })),
  encodeCommand('PING', Buffer.from('\x00\x96context', 'latin1')),
  encodeCommand('ERROR', Buffer.from('\x03500', 'latin1')),
  encodeFrame(0, Buffer.from('{"type":"JobStarted"}')),
  encodeFrame(MORE, Buffer.alloc(300, 7)),
  encodeFrame(COMMAND, Buffer.alloc(0)),
]

/** Good frames with bytes changed, removed, repeated or inserted. */
function malformed(next: () => number): Buffer {
  const frames = Array.from({ length: 1 + (next() % 4) }, () => GOOD[next() % GOOD.length] ?? Buffer.alloc(0))
  let bytes = Buffer.concat(frames)
  for (let edits = next() % 4; edits >= 0; edits -= 1) {
    const at = next() % (bytes.length + 1)
    const noise = Buffer.from(Array.from({ length: next() % 12 }, () => next() & 255))
    bytes = Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at + (next() % 8))])
  }
  return bytes
}

/** Reads a stream in uneven pieces, as a connection does; returns how it ended. */
function read(bytes: Buffer, next: () => number): 'refused' | 'read' {
  const assembler = new MessageAssembler({
    mayReceive: true,
    messageBytes: MESSAGE_BYTES,
    commandBytes: 4_096,
    frames: 16,
  })
  const options = { properties: { 'Socket-Type': 'PULL' }, maxProperties: 32 }
  const handshake =
    next() % 2 === 0 ? plainServer(options) : plainClient({ ...options, user: 'u', password: 'p' })
  const decoder = new FrameDecoder((header) => assembler.check(header))
  try {
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + (next() % 64)
      decoder.push(bytes.subarray(at, end))
      at = end
      for (let frame = decoder.next(); frame; frame = decoder.next()) {
        if (frame.command) handshake.receive(parseCommand(frame.body))
        else assembler.add(frame)
      }
    }
    return 'read'
  } catch (error) {
    if (error instanceof WireError) return 'refused'
    throw error
  }
}

test('a malformed stream is either read or rejected with a WireError', () => {
  const next = random(17)
  const ends = { refused: 0, read: 0 }
  const before = process.memoryUsage().rss
  for (let count = 0; count < CASES; count += 1) {
    const bytes = malformed(next)
    ends[read(bytes, next)] += 1
  }
  const grown = Math.round((process.memoryUsage().rss - before) / 1024 / 1024)
  closeRow('H19 frames', { cases: CASES, ...ends, crashes: 0, 'MiB more': grown })
  expect(ends.refused).toBeGreaterThan(CASES / 4)
  expect(ends.read).toBeGreaterThan(0)
}, 600_000)

test('a changed greeting is rejected unless it is still valid', () => {
  const next = random(19)
  const good = encodeGreeting('PLAIN', false)
  const ends = { refused: 0, read: 0 }
  for (let count = 0; count < CASES; count += 1) {
    const bytes = Buffer.from(good)
    for (let edits = next() % 3; edits >= 0; edits -= 1) bytes[next() % bytes.length] = next() & 255
    try {
      checkGreeting(bytes, 'PLAIN')
      ends.read += 1
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      ends.refused += 1
    }
  }
  closeRow('H19 greetings', { cases: CASES, ...ends, crashes: 0 })
  expect(ends.refused).toBeGreaterThan(CASES / 4)
}, 600_000)
