import { join } from 'node:path'
import { systemClock } from '../../src/base/index.ts'
import type { ProcessDevice } from '../../src/devices/index.ts'
import { ioOf, openProcess, payloadOf } from '../../tests/devices/support/jobs.ts'
import { openPython } from '../../tests/support/python/python.ts'
import { type PythonProcess, startPython } from '../../tests/support/python/python-process.ts'
import { FAMILIES } from './programs.ts'

/** The maximum ratio of our time to Aer's, or our maximum time in ms. */
export type Goal = { ratio: number } | { ms: number }

/** One program to be run by both sides. */
export interface Contest {
  name: string
  program: string
  qubits: number
  shots: number
  /** Simulation method: `automatic`, or a name that is the same on both sides. */
  method: string
  /**
   * Jobs in one round, of which the mean counts: small ones are too short for the resolution of the clock.
   */
  repeats: number
  goal: Goal
  /** Of both sides; double unless it is single. */
  precision?: 'single'
}

/** The figures of one round of one side; times in s. */
export interface Timing {
  /**
   * Ours: from the text of the program to the counts. Aer's: one call with a circuit that is ready to run.
   */
  job: number
  /** The part in which the state changes (ours), or Aer's own account of its simulation. */
  simulation: number
  /** The method that was chosen. */
  method: string
}

/** Threads of each side, unless a contest limits Aer to fewer. */
const THREADS = 2
/** ms after which idle threads of the other side sleep. */
const SETTLE_MS = 20
/** Readings of which the mean counts: each takes some hundredths of a second. */
const READINGS = 3
const JOB_LIMIT_MS = 1_200_000
/**
 * Jobs of each family and size to run first, as on a device of a running driver: the code is compiled then.
 */
const WARM_UP_JOBS = 400
const WARM_UP_QUBITS = [4, 8, 12]

/** Our simulator in this process and Aer in a Python process, which take turns. */
export class Sides implements AsyncDisposable {
  readonly #python: PythonProcess
  readonly #devices = new Map<string, ProcessDevice>()

  private constructor(python: PythonProcess) {
    this.#python = python
  }

  static async open(): Promise<Sides> {
    const interpreter = await openPython()
    if (!interpreter) throw new Error('Aer needs Python: see the line above')
    return new Sides(startPython(interpreter, join(import.meta.dir, 'aer.py')))
  }

  /** Name and versions of Qiskit and Aer. */
  versions(): Promise<string> {
    return this.#python.ask({ ask: 'versions' })
  }

  async ours({ program, shots, method, repeats, precision }: Contest): Promise<Timing> {
    const device = await this.#device(method)
    await Bun.sleep(SETTLE_MS)
    const payload = payloadOf([program], { shots, ...(precision && { precision }) })
    const start = performance.now()
    let evolve = 0
    let chosen = ''
    for (let job = 0; job < repeats; job++) {
      const results = await device.run({ id: 'bench', attempt: 1, payload }, ioOf(JOB_LIMIT_MS))
      const metadata = results.circuit_results[0]?.metadata as { method: string; phases: { evolve?: number } }
      evolve += metadata.phases.evolve ?? Number.NaN
      chosen = metadata.method
    }
    const seconds = (performance.now() - start) / 1_000
    return { job: seconds / repeats, simulation: evolve / repeats, method: chosen }
  }

  async aer(
    { program, shots, method, repeats, precision }: Contest,
    fusion: boolean,
    threads = THREADS,
  ): Promise<Timing> {
    await Bun.sleep(SETTLE_MS)
    const question = {
      ask: 'run',
      program,
      shots,
      method,
      repeats,
      precision: precision ?? 'double',
      fusion,
      threads,
    }
    const { call, ...rest } = await this.#python.ask<{ call: number; simulation: number; method: string }>(
      question,
    )
    return { ...rest, job: call }
  }

  /** Seconds in which Qiskit reads a program; Aer runs most circuits without a transpilation. */
  reading({ program }: Contest): Promise<number> {
    return this.#python.ask({ ask: 'reading', program, repeats: READINGS })
  }

  async #device(method: string): Promise<ProcessDevice> {
    const opened = this.#devices.get(method)
    if (opened) return opened
    const device = await openProcess('aer_sim', [`method=${method}`, `threads=${THREADS}`], systemClock)
    await device.start?.()
    // The others are no Clifford circuits, or take seconds as chains.
    const isLimited = method === 'stabilizer' || method === 'matrix_product_state'
    const families = isLimited ? [FAMILIES.ghz] : Object.values(FAMILIES)
    for (const family of families) {
      for (const qubits of WARM_UP_QUBITS) {
        const payload = payloadOf([family(qubits)])
        for (let job = 0; job < WARM_UP_JOBS; job++) {
          await device.run({ id: 'bench', attempt: 1, payload }, ioOf(JOB_LIMIT_MS))
        }
      }
    }
    this.#devices.set(method, device)
    return device
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const device of this.#devices.values()) await device.stop?.({ extend: () => undefined })
    await this.#python[Symbol.asyncDispose]()
  }
}
