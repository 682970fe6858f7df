import type { Acquisition, AcquisitionKind, Program } from '../../../pulse/schedule.ts'
import type { Acquisitions, Complex, IqArrays } from '../../instrument.ts'
import { InstrumentError } from '../../instrument.ts'
import type { CompiledRun, Placement, PortSequence } from '../../sequencer/compile/compiled-run.ts'
import type { BinTable, RecordedAcquisition } from './acquisitions.ts'

/** Steps of the square of a sample at full scale, in which a module adds up. */
const STEPS = 2 ** 22
/** Sums of a QRC count half. */
const QRC_FACTOR = 2
/** Steps of a scope sample at full scale: 12 bits, of a QRC 15. */
const SCOPE_STEPS = { QRM: 2 ** 11, QRC: 2 ** 14 } as const

/** Collects what the runs of a program record, in the order of the program. Full scale is 1 V. */
export class ProgramResults {
  readonly #program: Program
  readonly #results: (Complex | IqArrays | undefined)[][]

  constructor(program: Program) {
    this.#program = program
    this.#results = program.points.map(({ acquisitions }) =>
      acquisitions.map(() =>
        program.kind === 'shots'
          ? { i: new Float64Array(program.shots), q: new Float64Array(program.shots) }
          : undefined,
      ),
    )
  }

  /**
   * Takes the bins of a port.
   * @throws InstrumentError naming the qubit when a bin was not written as often as it should be.
   */
  addBins(run: CompiledRun, sequence: PortSequence, bins: BinTable, isQrc: boolean): void {
    const { placements, integrationNs = 1 } = sequence
    const scale = (isQrc ? QRC_FACTOR : 1) / STEPS / integrationNs
    const isCounted = this.#program.kind === 'shots'
    const perBin = isCounted ? 1 : run.shots
    const total = placements.length * (isCounted ? run.shots : 1)
    for (let bin = 0; bin < total; bin++) {
      const placement = placements[bin % placements.length]
      if (!placement) continue
      const count = bin < bins.length ? bins.count(bin) : 0
      if (count !== perBin) throw this.#missing(placement, `bin ${bin} of ${total}`, count, perBin)
      const [re, im] = [(bins.i(bin) * scale) / count, (bins.q(bin) * scale) / count]
      if (!isCounted) this.#set(placement, { re, im })
      else this.#setShot(placement, run.firstShot + Math.floor(bin / placements.length), re, im)
    }
  }

  /**
   * Takes the trace of a port, which is recorded before demodulation.
   * @param ncoHz frequency of the oscillator that demodulates
   * @throws InstrumentError naming the qubit when the trace is not there.
   */
  addTrace(placement: Placement, { scope }: RecordedAcquisition, ncoHz: number, isQrc: boolean): void {
    const { at, duration, phase = 0, qubit } = this.#acquisitionAt(placement)
    const [first, second] = scope
    const length = Math.min(first?.samples.length ?? 0, second?.samples.length ?? 0)
    if (!first || !second || first.repetitions === 0 || length < duration) {
      throw new InstrumentError(`no data for ${qubit} (a trace of ${length} of ${duration} ns)`)
    }
    const steps = SCOPE_STEPS[isQrc ? 'QRC' : 'QRM']
    const trace = { i: new Float64Array(duration), q: new Float64Array(duration) }
    for (let t = 0; t < duration; t++) {
      const i = (first.samples[t] ?? 0) / first.repetitions / steps
      const q = (second.samples[t] ?? 0) / Math.max(1, second.repetitions) / steps
      const angle = (2 * Math.PI * ncoHz * (at + t)) / 1e9 + phase
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
      trace.i[t] = i * cos + q * sin
      trace.q[t] = q * cos - i * sin
    }
    this.#set(placement, trace)
  }

  /** All results. */
  all<Kind extends AcquisitionKind>(): Acquisitions<Kind> {
    return this.#results as unknown as Acquisitions<Kind>
  }

  #missing(placement: Placement, bin: string, count: number, wanted: number): InstrumentError {
    const { qubit } = this.#acquisitionAt(placement)
    const found = count === 0 ? 'invalid' : `has ${count} of ${wanted} repetitions`
    return new InstrumentError(`no data for ${qubit} (${bin} ${found})`)
  }

  #acquisitionAt({ point, acquisition }: Placement): Acquisition {
    const found = this.#program.points[point]?.acquisitions[acquisition]
    if (!found) throw new RangeError(`no acquisition ${acquisition} at point ${point}`)
    return found
  }

  #set({ point, acquisition }: Placement, result: Complex | IqArrays): void {
    const results = this.#results[point]
    if (results) results[acquisition] = result
  }

  #setShot({ point, acquisition }: Placement, shot: number, re: number, im: number): void {
    const result = this.#results[point]?.[acquisition]
    if (!result || !('i' in result)) return
    result.i[shot] = re
    result.q[shot] = im
  }
}
