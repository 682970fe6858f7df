import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/base/index.ts'
import { openSimulatedChip } from '../../../src/devices/bench/simulated/open-simulated-chip.ts'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { FakeCluster, type LoggedCommand } from './fake-cluster.ts'
import { EXAMPLE_HARDWARE } from './open-cluster.ts'
import { chipSource } from './physical/chip-source.ts'

const EXAMPLES = join(import.meta.dir, '../../../examples')
const USER = join(import.meta.dir, '../../devices/bench/cluster/support/cluster-user.process.ts')
const STOP = /(^|:)SEQuencer:STOP$/
/** From this version on each module has a port of its own. */
const PORTED_SINCE = 1.1

interface SharedClusterOptions {
  scpiVersion: string
  /** Wait before each shot, s. */
  reset?: string
  /** Whether a simulated chip is at the outputs, drawn around the device file; otherwise seeded numbers. */
  hasChip?: boolean
}

/** A process that uses the cluster. */
export interface ClusterUser {
  readonly process: Bun.Subprocess<'pipe', 'pipe', 'inherit'>
  /** Lets it begin, once it has connected. */
  begin(): void
  /** Ends with it: the lines that it has printed, as values of JSON, and its exit status. */
  ended(): Promise<{ lines: unknown[]; status: number }>
}

/** A time in which one user has sent commands to sequencers without another one between. */
export interface ClusterTurn {
  user: string
  first: string
  /** Whether sequencers were stopped after they were started last. */
  endsAtRest: boolean
}

/** The cluster of the examples, and a folder with its files, for several processes. */
export class SharedCluster implements AsyncDisposable {
  readonly cluster: FakeCluster
  readonly folder: string
  readonly #scpiVersion: string
  readonly #temporary: ReturnType<typeof temporaryFolder>
  /** User by the port from which a connection comes. */
  readonly #owners = new Map<number, string>()

  private constructor(
    cluster: FakeCluster,
    scpiVersion: string,
    temporary: ReturnType<typeof temporaryFolder>,
  ) {
    this.cluster = cluster
    this.#scpiVersion = scpiVersion
    this.#temporary = temporary
    this.folder = temporary.path
  }

  static async start(options: SharedClusterOptions): Promise<SharedCluster> {
    const { scpiVersion, reset = '3.0e-4', hasChip = false } = options
    const temporary = temporaryFolder()
    const at = (name: string) => join(temporary.path, name)
    const modules = EXAMPLE_HARDWARE.clusters[0]?.modules ?? new Map()
    const cluster = await FakeCluster.start({ modules, scpiVersion })
    const { host, port, moduleBase } = cluster.address
    const hardware = JSON.parse(readFileSync(join(EXAMPLES, 'scheduler.hardware.json'), 'utf8'))
    const address = { ip: `${host}:${port}`, module_base_port: moduleBase }
    Object.assign(hardware.hardware_description.cluster0, address)
    writeFileSync(at('hardware.json'), JSON.stringify(hardware))
    const device = readFileSync(join(EXAMPLES, 'scheduler.device.yml'), 'utf8').replaceAll(
      'reset: {duration: 3.0e-4}',
      `reset: {duration: ${reset}}`,
    )
    writeFileSync(at('device.yml'), device)
    if (hasChip) {
      const file = readDeviceFile(device)
      if ('problems' in file) throw new Error(file.problems.join('\n'))
      const dataDir = temporary.path
      const chip = await openSimulatedChip({ chip: file.chip, dataDir, clock: systemClock, seed: 4 })
      cluster.source = chipSource(chip, EXAMPLE_HARDWARE)
    }
    return new SharedCluster(cluster, scpiVersion, temporary)
  }

  /** The paths of both files, as options of `scheduler_a`. */
  get options(): string[] {
    const at = (name: string) => join(this.folder, name)
    return [`scheduler_device_config=${at('device.yml')}`, `scheduler_hardware_config=${at('hardware.json')}`]
  }

  /** Starts a process with `count` jobs or calibrations, and waits until it has connected. */
  async connect(role: 'process' | 'tuner', count: number, shots: number): Promise<ClusterUser> {
    const child = Bun.spawn([process.execPath, USER, role, this.folder, String(count), String(shots)], {
      ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
      env: { ...process.env, TMPDIR: this.folder },
    })
    const reader = child.stdout.getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (!text.includes('\n')) {
      const { value, done } = await reader.read()
      if (done) throw new Error(`the ${role} ended before it had connected`)
      text += decoder.decode(value, { stream: true })
    }
    for (const { client } of this.cluster.log) {
      if (!this.#owners.has(client)) this.#owners.set(client, role)
    }
    return {
      process: child,
      begin() {
        child.stdin.write('begin\n')
        child.stdin.end()
      },
      async ended() {
        for (;;) {
          const { value, done } = await reader.read()
          if (done) break
          text += decoder.decode(value, { stream: true })
        }
        const [, ...lines] = text.trim().split('\n')
        return { lines: lines.map((line) => JSON.parse(line)), status: await child.exited }
      },
    }
  }

  /** Who has sent commands to sequencers, one after the other; a user not seen at `connect` is `unknown`. */
  turns(): ClusterTurn[] {
    const turns: ClusterTurn[] = []
    for (const { client, text } of this.#commands()) {
      const user = this.#owners.get(client) ?? 'unknown'
      const last = turns.at(-1)
      const turn = last?.user === user ? last : { user, first: text, endsAtRest: true }
      if (turn !== last) turns.push(turn)
      if (text.endsWith('SEQuencer:START')) turn.endsAtRest = false
      if (STOP.test(text)) turn.endsAtRest = true
    }
    return turns
  }

  /** Commands to sequencers, at the port of the cluster or those of modules, as the version has them. */
  #commands(): LoggedCommand[] {
    const isPorted = Number(this.#scpiVersion) >= PORTED_SINCE
    // Up to version 1.0 the ports of modules have nothing but the reading of lists.
    return this.cluster.log.filter(({ slot, text }) => isPorted === slot > 0 && text.includes('SEQuencer'))
  }

  /** Turns that do not begin by a stop of what others may have left, or do not end at rest. */
  interleaved(): ClusterTurn[] {
    return this.turns().filter(
      ({ user, first, endsAtRest }) => user === 'unknown' || !STOP.test(first) || !endsAtRest,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]()
    this.#temporary[Symbol.dispose]()
  }
}
