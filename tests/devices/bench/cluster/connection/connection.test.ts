import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { systemClock } from '../../../../../src/base/index.ts'
import { ClusterConnection } from '../../../../../src/devices/bench/cluster/connection/connection.ts'

const open: (Server | ClusterConnection)[] = []

afterEach(() => {
  for (const each of open.splice(0)) each.close()
})

type Answer = (received: Buffer, socket: Socket) => void

/** A connection to a server that calls `answer` with everything it has received so far. */
async function connectTo(answer: Answer, limits = {}): Promise<ClusterConnection> {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      answer(received, socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const connection = await ClusterConnection.open({ host: '127.0.0.1', port }, systemClock, limits)
  open.push(server, connection)
  return connection
}

/** Sends `reply` in two parts, cut at `at`, to each line. */
const inParts =
  (reply: Buffer, at: number): Answer =>
  async (_, socket) => {
    socket.write(reply.subarray(0, at))
    await new Promise((resolve) => setImmediate(resolve))
    socket.write(reply.subarray(at))
  }

describe('ClusterConnection', () => {
  test('reads a line and a block cut at every byte', async () => {
    const line = Buffer.from('Qblox,Cluster MM,00015_2321_005,swSCPIVersion=1.1\r\n')
    for (let at = 0; at <= line.length; at++) {
      const connection = await connectTo(inParts(line, at))
      expect(await connection.query('*IDN?')).toBe(line.toString().trim())
    }
    const block = Buffer.from('#212\n#\r\0,abcdefg\r\n')
    for (let at = 0; at <= block.length; at++) {
      const connection = await connectTo(inParts(block, at))
      expect((await connection.queryBlock('*DESCribe?')).toString()).toBe('\n#\r\0,abcdefg')
    }
  })

  test('sends a block after a space, with its length', async () => {
    let seen = ''
    const connection = await connectTo((received, socket) => {
      seen = received.toString('latin1')
      if (seen.endsWith('?\n')) socket.write('0\n')
    })
    await connection.send('SEQuencer0:AWG:WLISt:WAVeform:DATA "w",', new Uint8Array(80).fill(65))
    expect(await connection.takeErrors()).toEqual([])
    expect(seen).toBe(`SEQuencer0:AWG:WLISt:WAVeform:DATA "w", #280${'A'.repeat(80)}\nSYSTem:ERRor:COUNt?\n`)
  })

  test('exchanges follow each other', async () => {
    const connection = await connectTo((received, socket) => {
      const lines = received.toString().trimEnd().split('\n')
      setImmediate(() => socket.write(`${lines.at(-1)} of ${lines.length}\n`))
    })
    const answers = await Promise.all(['a?', 'b?', 'c?'].map((command) => connection.query(command)))
    expect(answers).toEqual(['a? of 1', 'b? of 2', 'c? of 3'])
  })

  test('takes all messages of the error queue', async () => {
    const queue = ['-100,"Command error"', '-222,"Data out of range"']
    const connection = await connectTo((received, socket) => {
      const isCount = received.toString().endsWith('COUNt?\n')
      socket.write(isCount ? `${queue.length}\n` : `${queue.shift()}\n`)
    })
    expect(await connection.takeErrors()).toEqual(['-100,"Command error"', '-222,"Data out of range"'])
  })

  test.each<[string, string, RegExp]>([
    [
      'a line where a block is due',
      'OK\n',
      /\*DESCribe\?: expected a block, which starts with # and a digit, got "OK"$/,
    ],
    ['a block of a wrong length', '#2x1\n', /the length of a block is "x1"$/],
    [
      'a block that is too long',
      '#9999999999',
      /a block of 999999999 bytes; at most 536870912 are accepted$/,
    ],
  ])('refuses %s, and the connection is over', async (_, reply, message) => {
    const connection = await connectTo((_received, socket) => void socket.write(reply))
    await expect(connection.queryBlock('*DESCribe?')).rejects.toThrow(message)
    await expect(connection.query('*IDN?')).rejects.toThrow(/\*IDN\?: /)
  })

  test('names the command and the address when the connection ends or stays silent', async () => {
    const ended = await connectTo((_, socket) => void socket.destroy())
    await expect(ended.query('SLOT2:SEQuencer0:STATE? now')).rejects.toThrow(
      /^127\.0\.0\.1:\d+: SLOT2:SEQuencer0:STATE\?: the connection was closed$/,
    )
    const silent = await connectTo(() => undefined, { replyMs: 20 })
    await expect(silent.query('*OPC?')).rejects.toThrow(/\*OPC\?: no reply within 0\.02 s$/)
    await expect(ClusterConnection.open({ host: '127.0.0.1', port: 1 }, systemClock)).rejects.toThrow(
      /^127\.0\.0\.1:1: /,
    )
  })
})
