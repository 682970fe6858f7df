import type { ModuleKind } from '../../../../src/devices/chip/hardware/modules.ts'
import { assemble, type Instruction } from '../../sequencer/language/assemble.ts'
import { MAX_PROGRAM_BYTES } from '../../sequencer/language/check-sequence.ts'
import { MAX_WAVEFORM_INDEX } from '../../sequencer/language/instructions.ts'
import { Refusal } from '../protocol/error-queue.ts'
import { AcquisitionList, type ScopePath } from './acquisition-list.ts'
import { NamedList } from './named-list.ts'
import { initialConfig, type SequencerConfig } from './sequencer-config.ts'

export type ChannelMap = number[][]

interface SequencerOptions {
  kind: ModuleKind
  /** Converters that it is connected to after power-up: all of them. */
  outputs: ChannelMap
  inputs: ChannelMap
  emptyScope: () => readonly ScopePath[]
}

/** The largest number of a weight that instructions name. */
const MAX_WEIGHT_INDEX = 63

/** What corrects a mixer of a fake cluster at an intermediate frequency, Hz: it changes slowly. */
export function imbalanceAt(hz: number): { gainRatio: number; phaseDegrees: number } {
  return { gainRatio: 1.02 + hz / 1e10, phaseDegrees: -3.5 + hz / 1e8 }
}

/** One sequencer of a module. */
export class FakeSequencer {
  config: SequencerConfig
  outputs: ChannelMap
  inputs: ChannelMap
  readonly waveforms: NamedList
  readonly weights: NamedList
  readonly acquisitions: AcquisitionList
  state: 'IDLE' | 'ARMED' | 'RUNNING' | 'STOPPED' = 'IDLE'
  /** Changes with every start and stop: a run that was stopped writes nothing any more. */
  run = 0
  /** Whether its present run is being played. */
  isTaken = false
  readonly #flags = { info: new Set<string>(), warning: new Set<string>(), error: new Set<string>() }
  readonly #kind: ModuleKind
  #program: readonly Instruction[] | undefined

  constructor({ kind, outputs, inputs, emptyScope }: SequencerOptions) {
    this.#kind = kind
    this.outputs = outputs
    this.inputs = inputs
    this.config = initialConfig(kind.inputs.length > 0)
    const { samples, bins } = kind.memory
    const list = (command: string, what: string, maxIndex: number) =>
      new NamedList({ command, what, capacity: samples, maxIndex })
    this.waveforms = list('AWG:WLISt:WAVeform', 'Waveform', MAX_WAVEFORM_INDEX)
    this.weights = list('ACQ:WLISt:WEIght', 'Weight', MAX_WEIGHT_INDEX)
    this.acquisitions = new AcquisitionList(bins, emptyScope)
  }

  get isSynced(): boolean {
    return this.config.seq_proc.sync_en
  }

  /** The instructions that it holds. */
  get program(): readonly Instruction[] {
    return this.#program ?? []
  }

  /** Assembles a program; returns what the assembler says, which is empty for one that it accepts. */
  load(text: string): string {
    this.#program = undefined
    if (text.length > MAX_PROGRAM_BYTES) throw new Refusal(-223, 'Too much data')
    const { instructions, problems } = assemble(text)
    const most = this.#kind.memory.instructions
    if (instructions.length > most) problems.push(`${instructions.length} instructions; at most ${most}`)
    if (problems.length === 0) this.#program = instructions
    return problems.join('\n')
  }

  arm(): undefined {
    if (!this.#program) throw new Refusal(-200, 'Execution error;no program')
    this.clearFlags()
    this.state = 'ARMED'
  }

  /** Starts it if it is armed. */
  start(): undefined {
    if (this.state !== 'ARMED') return
    this.run += 1
    this.isTaken = false
    this.state = 'RUNNING'
  }

  stop(): undefined {
    if (this.state === 'RUNNING' || this.state === 'ARMED') this.#flags.info.add('FORCED STOP')
    this.run += 1
    this.state = 'STOPPED'
  }

  /** Ends a run by itself. */
  finish(): void {
    if (this.#kind.inputs.length > 0) this.#flags.info.add('ACQ BINNING DONE')
    this.state = 'STOPPED'
  }

  /** Finds what corrects the mixer at the frequency of the oscillator; only an output has one. */
  calibrateSidebands(): undefined {
    const [output] = this.config.awg
    if (!output?.mixer.en || this.outputs.flat().length === 0) {
      throw new Refusal(-200, 'Execution error;the sequencer plays on no mixer')
    }
    const { gainRatio, phaseDegrees } = imbalanceAt(output.nco.freq_hz)
    Object.assign(output.mixer, { corr_gain_ratio: gainRatio, corr_phase_offset_degree: phaseDegrees })
    return undefined
  }

  flag(kind: 'info' | 'warning' | 'error', name: string): void {
    this.#flags[kind].add(name)
  }

  clearFlags(): undefined {
    for (const flags of Object.values(this.#flags)) flags.clear()
  }

  /** Status, state, then lists that each end with a comma, and a log. */
  status(hasExitCode: boolean): string {
    const { info, warning, error } = this.#flags
    const list = (flags: ReadonlySet<string>) => [...flags].map((flag) => `${flag},`).join('')
    const status = error.size > 0 ? 'ERROR' : warning.size > 0 ? 'WARNING' : 'OKAY'
    const code = hasExitCode ? '0;' : ''
    return `${status};${this.state};${code}${list(info)};${list(warning)};${list(error)};`
  }
}
