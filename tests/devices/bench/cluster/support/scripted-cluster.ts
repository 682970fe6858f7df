import { createServer, type Server, type Socket } from 'node:net'

/** Bins and scope samples that a sequencer answers `ACQ:ALISt?` with. */
export interface Recorded {
  bins: readonly { i: number; q: number; count: number }[]
  scope?: readonly number[]
}

interface Script {
  dialect: 'prefixed' | 'ported'
  /** Models and fronts of the modules by slot. */
  modules: Record<number, { model: string; is_rf: boolean }>
  recorded?: (slot: number, sequencer: number) => Recorded
  /** Replies that differ from the usual ones, by command with its slot. */
  replies?: Record<string, () => string | undefined>
}

/** A command with the slot of its module (0 for the cluster) and its block, as text. */
interface Received {
  slot: number
  command: string
  block: string
}

const CONFIG = {
  acq: [
    {
      demod: { en: false },
      th_acq: { discr_threshold: 3, non_weighed_integration_len: 1024 },
      ttl: { in: 1 },
    },
  ],
  awg: [{ cont_mode: {}, mixer: {}, nco: { freq_hz: 1e6 }, gain_path: [1, 1], offs_path: [0.5, 0] }],
  seq_proc: { sync_en: true, trg: [1] },
}
const SCOPE = { sel_path: [0, 0], avg_en_path: [false, false], trig: { mode_path: [true, true] }, more: 1 }

/**
 * A server that notes every command, answers queries as a cluster without pulses would, and has messages for
 * its error queue. It listens on free ports of 127.0.0.1; modules are at consecutive ports.
 */
export class ScriptedCluster {
  readonly received: Received[] = []
  readonly errors: string[] = []
  readonly #script: Script
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()
  readonly #configs = new Map<string, string>()
  port = 0
  moduleBase = 0

  constructor(script: Script) {
    this.#script = script
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }

  async listen(): Promise<this> {
    this.port = await this.#listen(0, 0)
    const slots = Object.keys(this.#script.modules).map(Number)
    for (let tries = 0; ; tries++) {
      this.moduleBase = 20_000 + ((this.port * 7 + tries * 53) % 40_000)
      try {
        for (const slot of slots) await this.#listen(this.moduleBase + slot, slot)
        return this
      } catch (error) {
        if (tries > 20) throw error
        for (const server of this.#servers.splice(1)) server.close()
      }
    }
  }

  /** The commands of a module, or of all. */
  commands(slot?: number): string[] {
    return this.received
      .filter((each) => slot === undefined || each.slot === slot)
      .map(({ command }) => command)
  }

  async #listen(port: number, slot: number): Promise<number> {
    const server = createServer((socket) => {
      this.#sockets.add(socket)
      let rest = Buffer.alloc(0)
      socket.on('error', () => undefined)
      socket.on('data', (chunk: Buffer) => {
        rest = this.#take(Buffer.concat([rest, chunk]), slot, socket)
      })
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
    this.#servers.push(server)
    return (server.address() as { port: number }).port
  }

  /** Answers the whole commands in what has arrived and returns the rest. */
  #take(bytes: Buffer<ArrayBuffer>, slot: number, socket: Socket): Buffer<ArrayBuffer> {
    let rest = bytes
    for (;;) {
      const [, head = '', digits = ''] =
        /^([^\n#]*)#(\d)/.exec(rest.subarray(0, 200).toString('latin1')) ?? []
      const line = rest.indexOf(0x0a)
      let block = ''
      let end = line
      if (digits !== '') {
        const start = head.length + 2 + Number(digits)
        const length = Number(rest.subarray(head.length + 2, start).toString('latin1'))
        end = start + length
        if (rest.length <= end) return rest
        block = rest.subarray(start, end).toString('latin1')
      }
      if (end < 0) return rest
      const text = (digits === '' ? rest.subarray(0, end).toString('latin1') : head).trim()
      rest = rest.subarray(end + 1)
      this.#answer(text, block, slot, socket)
    }
  }

  #answer(text: string, block: string, at: number, socket: Socket): void {
    const [, named, unprefixed = text] = /^SLOT(\d+):(.*)$/.exec(text) ?? []
    const slot = named === undefined ? at : Number(named)
    this.received.push({ slot, command: named === undefined ? text : `SLOT:${unprefixed}`, block })
    if (unprefixed.endsWith('CONFiguration') || unprefixed.endsWith('CHANnelmap')) {
      this.#configs.set(`${slot} ${unprefixed}?`, block)
    }
    const own = this.#script.replies?.[`${slot} ${unprefixed}`]?.()
    if (!text.includes('?')) return
    if (own !== '') socket.write(own ?? this.#replyTo(unprefixed, slot))
  }

  #replyTo(command: string, slot: number): string | Buffer {
    const { dialect, modules, recorded } = this.#script
    const version = dialect === 'ported' ? '1.1' : '1.0'
    const sequencer = Number(/^SEQuencer(\d+)/.exec(command)?.[1])
    if (command === '*IDN?') return `Qblox,Cluster MM,00015_2321_005,swSCPIVersion=${version}\r\n`
    if (command === 'SYSTem:ERRor:COUNt?') return `${this.errors.length}\n`
    if (command === 'SYSTem:ERRor:NEXT?') return `-100,"${this.errors.shift()}"\n`
    if (command === '*DESCribe?') return blockOf(JSON.stringify({ modules }), '\r\n')
    if (command.endsWith('ACQ:SCOpe:CONFiguration?')) return blockOf(JSON.stringify(SCOPE), '\r\n')
    if (command.endsWith('CONFiguration?')) {
      return blockOf(this.#configs.get(`${slot} ${command}`) ?? JSON.stringify(CONFIG), '\r\n')
    }
    if (command.endsWith('STATE?')) return 'OKAY;STOPPED;ACQ_BINNING_DONE,;;;\n'
    if (command.endsWith('ALISt?')) return listOf(recorded?.(slot, sequencer) ?? { bins: [] })
    if (command.startsWith('AFE:OFFSet:DAC')) return '0.125\n'
    if (command.endsWith(':MAX?')) return '60\n'
    return '0\n'
  }
}

function blockOf(content: string | Buffer, end = ''): Buffer {
  const bytes = Buffer.from(content)
  const length = String(bytes.length)
  return Buffer.concat([Buffer.from(`#${length.length}${length}`), bytes, Buffer.from(end)])
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function listOf({ bins, scope = [] }: Recorded): Buffer {
  const samples = Buffer.concat(
    scope.map((sample) => {
      const bytes = Buffer.alloc(4)
      bytes.writeInt32LE(sample)
      return bytes
    }),
  )
  const path = [blockOf(samples), blockOf(Buffer.from([0])), blockOf(u32(2))]
  const table = bins.map(({ i, q, count }) => {
    const bytes = Buffer.alloc(32)
    bytes.writeBigUInt64LE(count > 0 ? 1n : 0n, 0)
    bytes.writeBigInt64LE(BigInt(i), 8)
    bytes.writeBigInt64LE(BigInt(q), 16)
    bytes.writeUInt32LE(count, 28)
    return bytes
  })
  return Buffer.concat([
    ...[blockOf(u32(1)), blockOf('0'), blockOf(u32(0)), ...path, ...path],
    blockOf(Buffer.concat(table), '\r\n'),
  ])
}
