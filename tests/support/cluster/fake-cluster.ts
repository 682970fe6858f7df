import { createServer, type Server, type Socket } from 'node:net'
import type { ModuleName } from '../../../src/devices/chip/hardware/modules.ts'
import { descriptionOf, identityText, modelOf } from './identity.ts'
import { FakeModule } from './module/module.ts'
import { type Command, CommandStream, jsonBlock } from './protocol/commands.ts'
import { CommandTable, numberArgument, type Reply, type Table } from './protocol/table.ts'
import type { AcquisitionSource } from './run/played-run.ts'
import { type Running, runSequencers } from './run/run-sequencers.ts'
import { seededSource } from './run/seeded-source.ts'
import { type Wire, wholeWire } from './wire.ts'

export interface FakeClusterOptions {
  /** Modules by slot. */
  modules: ReadonlyMap<number, ModuleName>
  /** Version of the command set: up to 1.0 modules are addressed by prefix, from 1.1 on by port. */
  scpiVersion?: string
  /** Address to listen on, of 127.0.0.0/8: those of several clusters may differ. */
  host?: string
  /** Port of the cluster, a free one when absent; that of the module in slot n is `moduleBase` + n. */
  port?: number
  moduleBase?: number
  source?: AcquisitionSource
}

/** A command that has arrived, as tests look at it. */
export interface LoggedCommand {
  /** Slot of the module whose port it came to; 0 for that of the cluster. */
  slot: number
  /** Port of the client that sent it. */
  client: number
  text: string
}

/** Commands of modules that only the port of the cluster knows, with a prefix. */
const PREFIXED_ONLY = /^(MIXer:|SEQuencer\d*:CLR:FLAGS|AFE:(OUT|IN):)/i
/** Versions from this one on give each module a port of its own. */
const PORTED_SINCE = 1.1

/**
 * A control cluster in the network: the command set of its manager and its modules as their vendor's clients
 * speak it, in both dialects, with sequencers that run their programs in an emulator. It shares only the
 * language and the figures of the modules with the client. Settings and memories outlive connections, as they
 * do in a cluster.
 */
export class FakeCluster implements AsyncDisposable {
  /** Everything that has arrived, in its order. */
  readonly log: LoggedCommand[] = []
  readonly modules: ReadonlyMap<number, FakeModule>
  wire: Wire = wholeWire
  /** What its clocks follow, and whether an oscillator is at its input. */
  reference: 'internal' | 'external' = 'internal'
  hasExternalReference = false
  /** What it says of itself. */
  identity: string
  source: AcquisitionSource
  readonly #options: FakeClusterOptions
  readonly #commands: CommandTable
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()
  #runs: Promise<void> = Promise.resolve()
  #address = { host: '127.0.0.1', port: 0, moduleBase: 0 }

  private constructor(options: FakeClusterOptions) {
    this.#options = options
    const version = options.scpiVersion ?? '1.1'
    this.identity = identityText('Cluster MM', version)
    this.source = options.source ?? seededSource(1)
    const hasExitCode = Number(version) > PORTED_SINCE
    this.modules = new Map(
      [...options.modules].map(([slot, name]) => [
        slot,
        new FakeModule({ name, slot, onStart: () => this.#onStart(), hasExitCode }),
      ]),
    )
    this.#commands = new CommandTable(this.#table(version))
  }

  /** Starts one; unless told otherwise on free ports of 127.0.0.1. */
  static async start(options: FakeClusterOptions): Promise<FakeCluster> {
    const cluster = new FakeCluster(options)
    await cluster.#listen()
    return cluster
  }

  get address(): { host: string; port: number; moduleBase: number } {
    return this.#address
  }

  /** All sequencers, each with its place. */
  get sequencers(): Running[] {
    return [...this.modules.values()].flatMap((module) =>
      module.sequencers.map((sequencer, number) => ({ module, number, sequencer })),
    )
  }

  /** Ends when everything that was started has been played. */
  async settled(): Promise<void> {
    for (let runs = this.#runs; ; runs = this.#runs) {
      await runs
      if (runs === this.#runs) return
    }
  }

  /** Cuts all connections; new ones are accepted. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    await Promise.all(this.#servers.map((server) => new Promise((done) => server.close(done))))
    await this.settled()
  }

  async #listen(): Promise<void> {
    const { host = '127.0.0.1', port = 0 } = this.#options
    const main = await this.#serve(host, port, 0)
    for (let attempt = 0; ; attempt++) {
      const moduleBase = this.#options.moduleBase ?? freeBase(main, attempt)
      this.#address = { host, port: main, moduleBase }
      const before = this.#servers.length
      try {
        for (const slot of this.modules.keys()) await this.#serve(host, moduleBase + slot, slot)
        return
      } catch (error) {
        for (const server of this.#servers.splice(before)) server.close()
        if (this.#options.moduleBase !== undefined || attempt >= MAX_ATTEMPTS) throw error
      }
    }
  }

  async #serve(host: string, port: number, slot: number): Promise<number> {
    const server = createServer((socket) => this.#connect(socket, slot))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => resolve())
    })
    this.#servers.push(server)
    return (server.address() as { port: number }).port
  }

  #connect(socket: Socket, slot: number): void {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => undefined)
    const stream = new CommandStream()
    let turn: Promise<void> = Promise.resolve()
    socket.on('data', (chunk: Buffer) => {
      const { bytes, isCut } = this.wire.received(slot, chunk)
      try {
        for (const command of stream.push(bytes)) turn = turn.then(() => this.#answer(socket, slot, command))
      } catch {
        // As a real one, which cannot find the start of the next command either.
        socket.destroy()
      }
      if (isCut) socket.destroy()
    })
  }

  async #answer(socket: Socket, slot: number, { text, block }: Command): Promise<void> {
    if (text === '') return
    this.log.push({ slot, client: socket.remotePort ?? 0, text })
    const reply = await this.#replyTo(this.modules.get(slot), text, block)
    const bytes = bytesOf(reply)
    if (!bytes || socket.destroyed) return
    const sent = this.wire.sent(slot, bytes, text)
    socket.write(sent.bytes)
    if (sent.isCut) socket.destroySoon()
  }

  async #replyTo(module: FakeModule | undefined, text: string, block: Buffer | undefined): Promise<Reply> {
    if (!module) return this.#prefixed(text, block)
    if (!PREFIXED_ONLY.test(text)) return this.#ported(module, text, block)
    module.commands.errors.add(`-113,"Undefined header;${text.slice(0, 80)}"`)
    return undefined
  }

  #ported(module: FakeModule, text: string, block: Buffer | undefined): Promise<Reply> {
    if (text === '*IDN?') return Promise.resolve(this.#moduleIdentity(module))
    return module.commands.execute(text, block)
  }

  /** A command of the cluster, or of the module in its prefix, whose errors are in the cluster's queue. */
  async #prefixed(text: string, block: Buffer | undefined): Promise<Reply> {
    const [prefix, slot] = /^SLOT(\d*):/i.exec(text) ?? []
    if (prefix === undefined) return this.#commands.execute(text, block)
    const rest = text.slice(prefix.length)
    const modules = slot === '' ? [...this.modules.values()] : [this.modules.get(Number(slot))]
    let reply: Reply
    for (const module of modules) {
      if (!module) {
        this.#commands.errors.add(`-241,"Hardware missing;Module in slot ${slot} is not available."`)
        continue
      }
      reply = await this.#ported(module, rest, block)
      for (const { errors } = module.commands; errors.count > 0; ) this.#commands.errors.add(errors.next())
    }
    return reply
  }

  #moduleIdentity({ name }: FakeModule): string {
    const { model, isRf } = modelOf(name)
    return identityText(
      `Cluster ${model.toUpperCase()}${isRf ? '-RF' : ''}`,
      this.#options.scpiVersion ?? '1.1',
    )
  }

  #table(version: string): Table {
    const errors = () => this.#commands.errors
    return {
      '*IDN?': () => this.identity,
      '*DESCribe?': () => jsonBlock(descriptionOf(this.#options.modules, version)),
      '*MODS?': () => {
        const all = [...this.modules].map(([slot, module]) => [
          `SLOT ${slot}`,
          { IDN: this.#moduleIdentity(module), RF: module.kind.isRf },
        ])
        return jsonBlock(Object.fromEntries(all))
      },
      'BP:MODules?': () => [...this.modules.keys()].reduce((mask, slot) => mask | (1 << (slot - 1)), 0),
      'SYSTem:ERRor:COUNt?': () => errors().count,
      'SYSTem:ERRor:NEXT?': () => errors().next(),
      '*CLS': () => errors().clear(),
      '*OPC?': () => 1,
      '*RST': () => this.#reset(),
      'STATus:GENeral:STATE?': () => (this.#isLocked ? 'OKAY;' : 'ERROR;PLL UNLOCKED,'),
      'STATus:QUEStionable:FREQuency:REFerence:SRC': ({ args }) => {
        this.reference = numberArgument(args[0], 0, 1, 1) === 1 ? 'internal' : 'external'
      },
      'STATus:QUEStionable:FREQuency:REFerence:SRC?': () => (this.reference === 'internal' ? 1 : 0),
    }
  }

  get #isLocked(): boolean {
    return this.reference === 'internal' || this.hasExternalReference
  }

  /** Everything as after power-up, static voltages too. */
  #reset(): undefined {
    for (const [slot, name] of this.#options.modules) {
      const module = this.modules.get(slot)
      const fresh = new FakeModule({ name, slot, onStart: () => undefined, hasExitCode: false })
      if (!module) continue
      for (const [setting, value] of fresh.frontEnd.values) module.frontEnd.values.set(setting, value)
      for (const [number, sequencer] of module.sequencers.entries()) {
        const initial = fresh.sequencers[number]
        if (initial) Object.assign(sequencer, initial)
      }
    }
    this.#commands.errors.clear()
  }

  /** Plays what runs alone, and what is synchronized as soon as all of it runs. */
  #onStart(): void {
    const running = this.sequencers.filter(
      ({ sequencer }) => sequencer.state === 'RUNNING' && !sequencer.isTaken,
    )
    const synced = this.sequencers.filter(({ sequencer }) => sequencer.isSynced)
    const isComplete = synced.every(({ sequencer }) => sequencer.state === 'RUNNING')
    const alone = running.filter(({ sequencer }) => !sequencer.isSynced).map((each) => [each])
    const together = running.filter(({ sequencer }) => sequencer.isSynced)
    for (const group of [...alone, ...(isComplete && together.length > 0 ? [together] : [])]) {
      for (const { sequencer } of group) sequencer.isTaken = true
      this.#runs = this.#runs.then(() => runSequencers(group, this.source))
    }
  }
}

const MAX_ATTEMPTS = 50
/** A stretch of ports below those that the operating system gives to clients, by the port of the cluster. */
function freeBase(port: number, attempt: number): number {
  return 10_000 + (((port * 7 + attempt * 131) % 700) + 1) * 30
}

function bytesOf(reply: Reply): Buffer | undefined {
  if (reply === undefined || Buffer.isBuffer(reply)) return reply
  return Buffer.from(`${reply}\r\n`)
}
