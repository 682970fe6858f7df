import { type Log, messageOf } from '../../../base/index.ts'
import type { AcquisitionKind, Program } from '../../pulse/schedule.ts'
import type { Acquisitions, Instrument } from '../instrument.ts'
import { acquisitionArray } from './acquisition-array.ts'
import type { RawDataFolder, RawDataLabels } from './raw-data-folder.ts'

/** Names of the axes of an array, by the kind of its program. */
const AXES: { [Kind in AcquisitionKind]: readonly string[] } = {
  average: ['point', 'acquisition'],
  shots: ['point', 'acquisition', 'shot'],
  trace: ['point', 'acquisition', 'ns'],
}

/**
 * Stores what an instrument returns during one run. A failure to store, such as a full disk, is logged once
 * and never fails the run.
 */
export class RunRecorder {
  readonly #folder: RawDataFolder
  readonly #log: Log
  #hasFailed = false
  #isEmpty = true

  constructor(folder: RawDataFolder, log: Log) {
    this.#folder = folder
    this.#log = log
  }

  /** Whether the instrument has returned nothing yet. */
  get isEmpty(): boolean {
    return this.#isEmpty
  }

  /** Stores the results of one program with its labels, qubits, kind and shots, beside the labels given. */
  async add(program: Program, results: Acquisitions, labels: RawDataLabels = {}): Promise<void> {
    this.#isEmpty = false
    const { kind, shots, reset_ns, points } = program
    const acquired = points.map(({ acquisitions }) => acquisitions.map(({ qubit }) => qubit))
    const qubits = [...new Set(acquired.flat())]
    const all = { ...program.labels, ...labels, kind, axes: AXES[kind], unit: 'V', shots, reset_ns, qubits }
    await this.#attempt(() => this.#folder.add(qubits.join('-'), acquisitionArray(results), all))
  }

  /** Stores a text that belongs to all results of the run. */
  async addText(file: string, text: string): Promise<void> {
    await this.#attempt(() => this.#folder.addText(file, text))
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!this.#hasFailed) this.#log.warn('raw data are not stored', { reason: messageOf(error) })
      this.#hasFailed = true
    }
  }
}

/** The instrument, storing every acquisition. */
export function recordingInstrument(instrument: Instrument, recorder: RunRecorder): Instrument {
  return {
    backend: instrument.backend,
    open: () => instrument.open(),
    close: () => instrument.close(),
    async run<Kind extends AcquisitionKind>(program: Program<Kind>, signal: AbortSignal) {
      const results = await instrument.run(program, signal)
      await recorder.add(program, results)
      return results
    },
  }
}
