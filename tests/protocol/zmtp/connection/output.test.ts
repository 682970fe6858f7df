import { describe, expect, test } from 'bun:test'
import { Output } from '../../../../src/protocol/zmtp/connection/output.ts'
import { encodeCommand } from '../../../../src/protocol/zmtp/framing/command.ts'
import { FrameDecoder } from '../../../../src/protocol/zmtp/framing/frame.ts'

/** An output into memory, whose stream accepts no more bytes while `blocked`. */
function openOutput(limits: { queuedMessages?: number; queuedBytes?: number } = {}) {
  const writes: Uint8Array[] = []
  const stream = { blocked: false }
  const written: number[] = []
  const output = new Output({
    sink: {
      write(bytes) {
        writes.push(bytes)
        return !stream.blocked
      },
    },
    queuedMessages: limits.queuedMessages ?? 1_000,
    queuedBytes: limits.queuedBytes ?? 1 << 24,
    onWritten: (bytes) => written.push(bytes),
  })
  /** The bodies of the frames written so far; a `+` follows those that are not the last of their message. */
  function frames(): string[] {
    const decoder = new FrameDecoder(() => undefined)
    for (const bytes of writes) decoder.push(bytes)
    const texts: string[] = []
    for (let frame = decoder.next(); frame; frame = decoder.next()) {
      texts.push(Buffer.from(frame.body).toString('latin1') + (frame.more ? '+' : ''))
    }
    return texts
  }
  return { output, writes, stream, written, frames }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const bytes = (text: string) => Buffer.from(text)

describe('Output', () => {
  test('writes the messages of one turn in one piece', async () => {
    const { output, writes, frames, written } = openOutput()
    for (const text of ['a', 'b', 'c']) expect(output.trySend(bytes(text))).toBe(true)
    expect(writes).toHaveLength(0)
    await turn()
    expect(writes).toHaveLength(1)
    expect(frames()).toEqual(['a', 'b', 'c'])
    expect(written).toEqual([3, 3, 3])
  })

  test('flush() writes what waits in this turn, in one piece, and nothing is written twice', async () => {
    const { output, writes, frames } = openOutput()
    for (const text of ['a', 'b']) output.trySend(bytes(text))
    output.flush()
    expect(writes).toHaveLength(1)
    output.trySend(bytes('c'))
    await turn()
    expect(writes).toHaveLength(2)
    expect(frames()).toEqual(['a', 'b', 'c'])
  })

  test('writes large bodies by reference and keeps their order', async () => {
    const { output, writes, frames } = openOutput()
    const large = Buffer.alloc(10_000, 'x')
    for (const message of [bytes('a'), large, bytes('b')]) output.trySend(message)
    await turn()
    expect(writes.some((each) => each.buffer === large.buffer && each.length === large.length)).toBe(true)
    expect(frames()).toEqual(['a', large.toString(), 'b'])
  })

  test('marks all frames of a message but the last', async () => {
    const { output, frames } = openOutput()
    output.trySend([bytes('a'), Buffer.alloc(300, 'b'), bytes('')])
    await turn()
    expect(frames()).toEqual(['a+', `${'b'.repeat(300)}+`, ''])
  })

  test('writes before the end of the turn when half a batch waits', () => {
    const { output, writes } = openOutput()
    for (let sent = 0; sent < 8; sent++) output.trySend(Buffer.alloc(5_000))
    expect(writes.length).toBeGreaterThan(0)
  })

  test('trySend() accepts nothing at either high-water mark, and again once there is space', async () => {
    const few = openOutput({ queuedMessages: 2 })
    few.stream.blocked = true
    few.output.trySend(bytes('first'))
    await turn()
    expect([1, 2, 3].map((each) => few.output.trySend(bytes(`${each}`)))).toEqual([true, true, false])
    few.stream.blocked = false
    few.output.drained()
    expect(few.output.trySend(bytes('4'))).toBe(true)
    await turn()
    expect(few.frames()).toEqual(['first', '1', '2', '4'])

    const small = openOutput({ queuedBytes: 1_000 })
    small.stream.blocked = true
    expect(small.output.trySend(Buffer.alloc(5_000))).toBe(true)
    expect(small.output.trySend(bytes('x'))).toBe(false)
  })

  test('stops writing until the stream has drained', async () => {
    const { output, stream, frames } = openOutput()
    stream.blocked = true
    output.trySend(bytes('a'))
    await turn()
    output.trySend(bytes('b'))
    await turn()
    expect(frames()).toEqual(['a'])
    output.drained()
    expect(frames()).toEqual(['a', 'b'])
  })

  test('command() overtakes waiting messages but not the frames of one', async () => {
    const { output, stream, frames } = openOutput()
    stream.blocked = true
    output.trySend([bytes('a'), bytes('b')])
    await turn()
    output.trySend(bytes('c'))
    output.command(encodeCommand('PONG'))
    stream.blocked = false
    output.drained()
    expect(frames()).toEqual(['a+', 'b', '\x04PONG', 'c'])
  })

  test('command() queues a bounded number for a peer that does not read', async () => {
    const { output, stream, frames } = openOutput()
    stream.blocked = true
    output.trySend(bytes('a'))
    await turn()
    for (let count = 0; count < 1_000; count++) output.command(encodeCommand('PONG'))
    stream.blocked = false
    output.drained()
    expect(frames().length).toBe(1 + 32)
  })

  test('send() waits for space and keeps the order of its callers', async () => {
    const { output, stream, frames } = openOutput({ queuedMessages: 1 })
    stream.blocked = true
    output.trySend(bytes('a'))
    await turn()
    const settled: string[] = []
    const sends = ['b', 'c', 'd'].map((text) => output.send(bytes(text)).then(() => settled.push(text)))
    await turn()
    expect(settled).toEqual(['b'])
    stream.blocked = false
    output.drained()
    await Promise.all(sends)
    await turn()
    expect(settled).toEqual(['b', 'c', 'd'])
    expect(frames()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('send() rejects when its signal aborts, and the message is not sent', async () => {
    const { output, stream, frames } = openOutput({ queuedMessages: 1 })
    stream.blocked = true
    output.trySend(bytes('a'))
    await turn()
    output.trySend(bytes('b'))
    const abort = new AbortController()
    const waiting = output.send(bytes('c'), abort.signal)
    abort.abort(new Error('no longer needed'))
    await expect(waiting).rejects.toThrow('no longer needed')
    await expect(output.send(bytes('d'), abort.signal)).rejects.toThrow('no longer needed')
    output.drained()
    await turn()
    output.drained()
    await turn()
    expect(frames()).toEqual(['a', 'b'])
  })

  test('finish() writes the accepted messages, rejects waiting senders and calls back', async () => {
    const { output, stream, frames } = openOutput({ queuedMessages: 1 })
    stream.blocked = true
    output.trySend(bytes('a'))
    await turn()
    output.trySend(bytes('b'))
    const waiting = output.send(bytes('c'))
    const done = Promise.withResolvers<void>()
    output.finish(() => done.resolve())
    await expect(waiting).rejects.toThrow('closed before the message could be sent')
    expect(output.trySend(bytes('d'))).toBe(false)
    await expect(output.send(bytes('e'))).rejects.toThrow('closed')
    stream.blocked = false
    output.drained()
    await done.promise
    expect(frames()).toEqual(['a', 'b'])
  })

  test('command() writes nothing after finish(), when the stream may have ended', async () => {
    const { output, frames } = openOutput()
    output.command(encodeCommand('ERROR'))
    output.finish(() => undefined)
    output.command(encodeCommand('PING'))
    await turn()
    expect(frames()).toEqual(['\x05ERROR'])
  })

  test('stop() drops everything and rejects waiting senders', async () => {
    const { output, stream, frames } = openOutput({ queuedMessages: 1 })
    stream.blocked = true
    output.trySend(bytes('a'))
    await turn()
    output.trySend(bytes('b'))
    const waiting = output.send(bytes('c'))
    output.stop()
    await expect(waiting).rejects.toThrow('closed')
    output.drained()
    expect(frames()).toEqual(['a'])
  })
})
