import { type Clock, type Log, MINUTE_MS, messageOf, withTimeout } from '../../../base/index.ts'
import type { ClusterAddress } from '../../chip/hardware/cluster-address.ts'
import type { Hardware } from '../../chip/hardware/hardware-file.ts'
import type { ModuleName } from '../../chip/hardware/modules.ts'
import { StartupError } from '../../errors.ts'
import { checkProgram } from '../../pulse/check-program.ts'
import type { AcquisitionKind, Program } from '../../pulse/schedule.ts'
import type { VoltageOutputs } from '../current/qcm-output.ts'
import { type Acquisitions, type Instrument, InstrumentError } from '../instrument.ts'
import { type InstrumentHold, SharedInstrument, type WaitLimit } from '../shared-instrument.ts'
import { type ClusterSession, openSession } from './cluster-session.ts'
import { ClusterError } from './connection/reply.ts'
import { SequencerPlaces } from './plan/sequencer-places.ts'
import { runProgram } from './run/run-program.ts'
import { followReference, REFERENCE } from './settings/reference.ts'

interface ClusterOptions {
  hardware: Hardware
  /** Name of the cluster in the hardware file. */
  name: string
  address: ClusterAddress
  modules: ReadonlyMap<number, ModuleName>
  /** What uses it: the name of a device. */
  user: string
  clock: Clock
  log: Log
  /** Folder of the lock that all users of the cluster share; that of temporary files when absent. */
  lockFolder?: string | undefined
}

/** How long a single program waits for a cluster that nobody has reserved, ms. */
const MAX_WAIT_MS = MINUTE_MS
/** How long an exchange may go on after its run was stopped, ms. */
const ABORT_MS = 200
/** How long it may take to put the sequencers to rest, ms. */
const REST_MS = 1_000

/**
 * A control cluster in the network. While it is reserved, no other process sends it anything. Between runs
 * its sequencers are stopped and connected to nothing; oscillators and static voltages stay as they are.
 *
 * | Session | Leaves it by | Next |
 * |---|---|---|
 * | closed | `reserve`, `run`, reading or setting a voltage | open, nothing known: all sequencers are put to rest |
 * | open | reserving it after another client had it | open, nothing known: all sequencers are put to rest |
 * | open | a failed exchange, `close` | closed |
 */
export class ClusterInstrument implements Instrument, VoltageOutputs {
  readonly backend = 'cluster'
  readonly #options: ClusterOptions
  readonly #lock: SharedInstrument
  readonly #places = new SequencerPlaces()
  readonly #warnings = new Set<string>()
  #session: ClusterSession | undefined
  #hold: InstrumentHold | undefined
  /** Ends waits for replies while the cluster is reserved. */
  #signal: AbortSignal | undefined

  constructor(options: ClusterOptions) {
    this.#options = options
    const { address, user, clock, lockFolder } = options
    this.#lock = new SharedInstrument({
      instrument: `${address.host}:${address.port}`,
      user,
      clock,
      ...(lockFolder !== undefined && { folder: lockFolder }),
    })
  }

  /** Connects, and puts the sequencers to rest unless another process is using the cluster. */
  async open(): Promise<void> {
    try {
      await this.#openSession()
      const release = await this.reserve({ ms: 0 })
      await release()
    } catch (error) {
      if (error instanceof InstrumentError && error.code === 'instrument_busy') return
      throw new StartupError([
        `startup error: cluster ${this.#options.name}: ${messageOf(error)}`,
        '  correct scheduler_hardware_config or the cluster; `svc driver check` with the same options goes step by step',
      ])
    }
  }

  async reserve(limit: WaitLimit): Promise<() => Promise<void>> {
    const hold = await this.#lock.take(limit)
    this.#hold = hold
    this.#signal = limit.signal
    const release = () => {
      hold.release()
      if (this.#hold !== hold) return
      this.#hold = undefined
      this.#signal = undefined
    }
    try {
      await this.#inSession(async (session) => {
        if (!hold.isUninterrupted) {
          session.settings.forget()
          session.loaded.forget()
        }
        await this.#restIn(session)
      })
    } catch (error) {
      release()
      throw error
    }
    return async () => release()
  }

  async run<Kind extends AcquisitionKind>(
    program: Program<Kind>,
    signal: AbortSignal,
  ): Promise<Acquisitions<Kind>> {
    signal.throwIfAborted()
    checkProgram(program)
    if (this.#hold) return this.#runReserved(program, signal)
    const release = await this.reserve({ ms: MAX_WAIT_MS, signal })
    try {
      return await this.#runReserved(program, signal)
    } finally {
      await release()
    }
  }

  /** What it said of itself, its modules, and the settings of the last programs; sends nothing. */
  async snapshot(): Promise<Readonly<Record<string, unknown>>> {
    const { address } = this.#options
    if (!this.#session) return { address }
    const { identity, modules } = this.#session.links
    const { values, sequencers } = this.#session.settings.describe()
    return { address, identity: identity.text, modules: Object.fromEntries(modules), values, sequencers }
  }

  takeWarnings(): string[] {
    const warnings = [...this.#warnings]
    this.#warnings.clear()
    return warnings
  }

  async readVolts(module: number, output: number): Promise<number> {
    return this.#inSession(async ({ links }) => {
      const reply = await links.module(module).query(`AFE:OFFSet:DAC${output}?`)
      const volts = Number(reply)
      if (reply.trim() !== '' && Number.isFinite(volts)) return volts
      throw new ClusterError(`the voltage of output ${output} in slot ${module} is ${JSON.stringify(reply)}`)
    })
  }

  async writeVolts(module: number, output: number, volts: number): Promise<void> {
    await this.#inSession(({ links }) => links.module(module).send(`AFE:OFFSet:DAC${output} ${volts}`))
  }

  async close(): Promise<void> {
    this.#session?.links.close()
    this.#session = undefined
    this.#hold?.release()
    this.#hold = undefined
    this.#signal = undefined
  }

  async #runReserved<Kind extends AcquisitionKind>(
    program: Program<Kind>,
    signal: AbortSignal,
  ): Promise<Acquisitions<Kind>> {
    // A program that failed may have ended the session, and left sequencers that wait for others.
    const session = this.#session ?? (await this.#inSession(async (opened) => this.#restIn(opened)))
    const { clock, hardware } = this.#options
    try {
      const playing = runProgram(program, hardware, this.#places, { ...session, clock, signal })
      const { results, warnings } = await this.#untilAborted(playing, signal)
      for (const warning of warnings) this.#warnings.add(warning)
      return results
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw this.#failed(error)
    } finally {
      await this.#rest(session)
    }
  }

  /**
   * Settles as `work`. When the signal aborts and an exchange is still under way a while later, a module is
   * silent: the session is over, and the next one puts the sequencers to rest.
   */
  async #untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (!signal) return work
    const { clock } = this.#options
    const onAbort = () => {
      const ended = work.then(
        () => undefined,
        () => undefined,
      )
      void withTimeout(ended, { clock, ms: ABORT_MS, onTimeout: () => this.#drop() })
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await work
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Lets the clocks follow the reference of the hardware file, and puts the sequencers to rest. */
  async #restIn(session: ClusterSession): Promise<ClusterSession> {
    const { log, name, hardware, clock } = this.#options
    const { reference } = hardware.clusters.find((each) => each.name === name) ?? {}
    if (reference) {
      const follow = () => followReference(session.links.cluster, reference, clock)
      await session.settings.set(0, REFERENCE, reference, follow)
    }
    const errors = await session.settings.rest()
    if (errors.length > 0) log.warn('the cluster refused settings', { cluster: name, errors })
    return session
  }

  /** Puts the sequencers to rest after a run; a session in which that fails is over. */
  async #rest(session: ClusterSession): Promise<void> {
    if (this.#session !== session) return
    const { clock, log, name } = this.#options
    try {
      await withTimeout(this.#restIn(session), {
        clock,
        ms: REST_MS,
        onTimeout: () => {
          throw new ClusterError(`sequencers are not at rest within ${REST_MS / 1_000} s`)
        },
      })
    } catch (error) {
      log.warn('the connection to the cluster is dropped', { cluster: name, reason: messageOf(error) })
      this.#drop()
    }
  }

  /**
   * Does something in the open session, until whoever has reserved the cluster gives up. What starts after
   * that, such as the way back of a current, is not hurried.
   */
  async #inSession<T>(work: (session: ClusterSession) => Promise<T>): Promise<T> {
    const signal = this.#signal?.aborted ? undefined : this.#signal
    try {
      return await this.#untilAborted(this.#liveSession(signal).then(work), signal)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw this.#failed(error)
    }
  }

  /** The open session, or a new one: the cluster may have been restarted since the last exchange. */
  async #liveSession(signal: AbortSignal | undefined): Promise<ClusterSession> {
    const isAlive = await this.#session?.links.cluster.query('*IDN?').then(
      () => true,
      () => false,
    )
    if (isAlive === false) this.#drop()
    return this.#openSession(signal)
  }

  async #openSession(signal?: AbortSignal): Promise<ClusterSession> {
    const { address, modules, clock, log } = this.#options
    this.#session ??= await openSession({ address, modules, clock, log, signal })
    return this.#session
  }

  #drop(): void {
    this.#session?.links.close()
    this.#session = undefined
  }

  /** The error for people; after a failed exchange the session is over. */
  #failed(error: unknown): unknown {
    if (!(error instanceof ClusterError)) return error
    this.#drop()
    return new InstrumentError(error.message, 'instrument_failed', { cause: error })
  }
}
