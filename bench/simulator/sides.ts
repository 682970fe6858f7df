import { join } from 'node:path'
import { systemClock } from '../../src/base/index.ts'
import type { ProcessDevice } from '../../src/devices/index.ts'
import type { JobPayload } from '../../src/protocol/index.ts'
import { ioOf, openProcess, payloadOf } from '../../tests/devices/support/jobs.ts'
import { openPeersPython, openPython } from '../../tests/support/python/python.ts'
import { type PythonProcess, startPython } from '../../tests/support/python/python-process.ts'
import { percentile } from '../support/figures.ts'
import { FAMILIES, variational } from './programs.ts'

/** What one peer is asked to run. */
export interface PeerCall {
  /** Column of the table; of several calls with one name, the fastest counts. */
  peer: string
  /** Script that runs it. */
  by: 'aer' | 'peers'
  /** Question of the script, see `aer.py` and `peers.py`. */
  question: { ask: string } & Record<string, unknown>
}

/** One row: jobs of ours and calls of peers, which take turns. */
export interface Contest {
  name: string
  /** Options of `aer_sim` besides the number of threads. */
  options: readonly string[]
  /** The n-th job, which may differ from the others. */
  payload(turn: number): JobPayload
  calls: readonly PeerCall[]
  /** Jobs in one round, of which the median counts: of small ones, other work on the machine delays some. */
  repeats: number
  /** The largest ratio of our time to that of the fastest peer; absent for a row without a goal. */
  goal?: number
}

/** One round of one side. */
export interface Timing {
  /** Time of one job or call, s. */
  seconds: number
  /** The method that was chosen. */
  method?: string
}

/** Threads of each side. */
const THREADS = 2
/** ms after which idle threads of the other side sleep. */
const SETTLE_MS = 20
const JOB_LIMIT_MS = 1_200_000
/**
 * Jobs of each family and size to run first, as on a device of a running driver: the code is compiled then.
 */
const WARM_UP_JOBS = 400
const WARM_UP_QUBITS = [4, 8, 12]

/** Our simulator in this process and the others in Python processes, which take turns. */
export class Sides implements AsyncDisposable {
  readonly #processes: Partial<Record<PeerCall['by'], PythonProcess>> = {}
  readonly #devices = new Map<string, ProcessDevice>()

  static async open(): Promise<Sides> {
    const sides = new Sides()
    const [tools, peers] = [await openPython(), await openPeersPython()]
    if (tools) sides.#processes.aer = startPython(tools, join(import.meta.dir, 'aer.py'))
    if (peers) sides.#processes.peers = startPython(peers, join(import.meta.dir, 'peers.py'))
    return sides
  }

  /** Whether the script of a call runs. */
  has({ by }: PeerCall): boolean {
    return this.#processes[by] !== undefined
  }

  /** Names and versions of the others. */
  async versions(): Promise<string> {
    const all = Object.values(this.#processes).map((each) => each.ask<string>({ ask: 'versions' }))
    return (await Promise.all(all)).join(', ')
  }

  /** Our jobs of a round; `round` counts them, so that no two rounds have the same ones. */
  async ours({ options, payload, repeats }: Contest, round: number): Promise<Timing> {
    const device = await this.#device(options)
    await Bun.sleep(SETTLE_MS)
    const jobs = Array.from({ length: repeats }, (_, job) => payload(round * repeats + job))
    const seconds: number[] = []
    let method = ''
    for (const job of jobs) {
      const start = performance.now()
      const results = await device.run({ id: 'bench', attempt: 1, payload: job }, ioOf(JOB_LIMIT_MS))
      seconds.push((performance.now() - start) / 1_000)
      const [circuit] = results.circuit_results
      method = String(circuit?.metadata['method'])
    }
    return { seconds: percentile(seconds, 0.5), method }
  }

  /** The calls of a peer in a round. */
  async peer({ by, question }: PeerCall, repeats: number): Promise<Timing> {
    await Bun.sleep(SETTLE_MS)
    const running = this.#processes[by]
    if (!running) throw new Error(`${by}.py does not run`)
    return running.ask<Timing>({ ...question, repeats })
  }

  async #device(options: readonly string[]): Promise<ProcessDevice> {
    const key = options.join(' ')
    const opened = this.#devices.get(key)
    if (opened) return opened
    const device = await openProcess('aer_sim', [...options, `threads=${THREADS}`], systemClock)
    await device.start?.()
    for (const payload of warmUpOf(key))
      for (let job = 0; job < WARM_UP_JOBS; job++)
        await device.run({ id: 'bench', attempt: 1, payload }, ioOf(JOB_LIMIT_MS))
    this.#devices.set(key, device)
    return device
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const device of this.#devices.values()) await device.stop?.({ extend: () => undefined })
    for (const each of Object.values(this.#processes)) await each[Symbol.asyncDispose]()
  }
}

/** Jobs that a device runs first. */
function warmUpOf(options: string): JobPayload[] {
  const { program, inputs } = variational(WARM_UP_QUBITS[0] ?? 1)
  const values = Array.from({ length: inputs }, (_, index) => index)
  const ghz = WARM_UP_QUBITS.map((qubits) => payloadOf([FAMILIES.ghz(qubits)]))
  // The others are no Clifford circuits, take seconds as chains, or have noise after every gate.
  if (options.includes('stabilizer') || options.includes('chain') || options.includes('matrix')) return ghz
  if (options.includes('noise')) return []
  const families = Object.values(FAMILIES).flatMap((family) =>
    WARM_UP_QUBITS.map((qubits) => payloadOf([family(qubits)])),
  )
  return [...families, payloadOf([{ circuit: program, parameter_values: [values] }])]
}
