import type { SequencerMemory } from '../../../chip/hardware/modules.ts'
import { ProgramError } from '../../../pulse/check-program.ts'
import type { PortName, Program } from '../../../pulse/schedule.ts'
import { blockLength, type Instruction } from '../loops/instruction.ts'
import { roll } from '../loops/roll.ts'
import { OWN_REGISTERS, writeNodes } from '../loops/write-nodes.ts'
import { DURATION_NS } from '../sequence.ts'
import type { Placement, PortSequence, Ports } from './compiled-run.ts'
import { blockOf, pauseOf } from './point-block.ts'
import type { PortSchedule } from './port-schedules.ts'
import { type Step, stepsOf } from './steps.ts'
import { WaveformTable } from './waveform-table.ts'

/** The part of a sequence that plays one point. */
interface Draft {
  block: readonly Instruction[]
  placements: readonly Placement[]
  /** Lengths of its acquisitions, ns. */
  lengths: readonly number[]
  /** Number of waveforms before it. */
  waveforms: number
}

/** Instructions around the points: markers, synchronization, registers, loop and stop. */
const FRAME_INSTRUCTIONS = 8

/** Writes the sequence of one port, point by point. */
export class PortWriter {
  readonly port: PortName
  readonly #program: Program
  readonly #ports: Ports
  readonly #memory: SequencerMemory
  readonly #table = new WaveformTable()
  readonly #blocks: (readonly Instruction[])[] = []
  readonly #placements: Placement[] = []
  /** Lines of the first blocks, and how many blocks they are. */
  #rolled = { lines: [] as readonly string[], blocks: 0 }
  /** Lines of the blocks after those, as they stand. */
  #added = 0
  #integrationNs: number | undefined

  constructor(port: PortName, program: Program, ports: Ports) {
    this.port = port
    this.#program = program
    this.#ports = ports
    this.#memory = ports.memory(port)
  }

  /** Number of shots whose results its bins hold. */
  get maxShots(): number {
    const isUnlimited = this.#program.kind !== 'shots' || this.#placements.length === 0
    return isUnlimited ? Number.POSITIVE_INFINITY : Math.floor(this.#memory.bins / this.#placements.length)
  }

  get placements(): readonly Placement[] {
    return this.#placements
  }

  /** The part of a point; its waveforms are stored immediately. */
  draft({ duration, pulses: own, acquisitions }: PortSchedule, point: number): Draft {
    const path = `points[${point}]`
    const waveforms = this.#table.size
    const starts = acquisitions.map(({ at }) => at)
    const pulses = own.flatMap((pulse): Step[] => {
      const hz = this.#ports.ncoHz(this.port, pulse.frequency)
      const at = `${path}.pulses[${pulse.index}]`
      return stepsOf(pulse, { hz, table: this.#table, acquisitions: starts, path: at })
    })
    const windows = acquisitions.map(({ at, frequency, phase = 0, index }): Step => {
      const hz = this.#ports.ncoHz(this.port, frequency)
      const demodulated = playedAt(pulses, at) ?? { hz, phase }
      if (demodulated.hz !== hz || demodulated.phase !== phase) {
        const problem = 'is demodulated at another frequency or phase than the pulse of its port has'
        throw new ProgramError(`${path}.acquisitions[${index}]`, problem)
      }
      return { at, tone: { hz, phase }, settings: [], instruction: 'acquire' }
    })
    const before = this.#placements.length
    const isCounted = this.#program.kind === 'shots'
    const block = blockOf({
      resetNs: this.#program.reset_ns,
      duration,
      path,
      steps: [...pulses, ...windows].sort((a, b) => a.at - b.at),
      binOf: (number) => (isCounted ? OWN_REGISTERS.bin : before + number),
    })
    return {
      block,
      placements: acquisitions.map(({ index }) => ({ point, acquisition: index })),
      lengths: acquisitions.map(({ duration }) => duration),
      waveforms,
    }
  }

  /** Why a part cannot follow those before it; undefined when it can. */
  problemWith({ block, placements, lengths }: Draft): string | undefined {
    const { instructions, samples, bins } = this.#memory
    const own = blockLength(block) + FRAME_INSTRUCTIONS
    if (this.#length + own > instructions) this.#roll()
    const length = this.#length + own
    if (length > instructions) {
      return `${length} instructions for ${this.port}; its sequencer holds ${instructions}`
    }
    if (this.#table.samples > samples) {
      return `${this.#table.samples} samples of waveforms for ${this.port}; its sequencer holds ${samples}`
    }
    const count = this.#placements.length + placements.length
    if (count > bins && count > 0)
      return `${count} acquisitions for ${this.port}; its sequencer holds ${bins}`
    const other = lengths.find((each) => each !== (this.#integrationNs ?? lengths[0]))
    return other === undefined ? undefined : `acquisitions of ${this.port} differ in length`
  }

  /** Drops a part that does not fit, with the waveforms that it alone uses. */
  discard({ waveforms }: Draft): void {
    this.#table.truncate(waveforms)
  }

  add({ block, placements, lengths }: Draft): void {
    this.#blocks.push(block)
    this.#added += blockLength(block)
    this.#placements.push(...placements)
    this.#integrationNs ??= lengths[0]
  }

  get #length(): number {
    return this.#rolled.lines.length + this.#added
  }

  /** Turns all blocks so far into loops where their points form a sweep. */
  #roll(): readonly string[] {
    const blocks = this.#blocks.length
    if (blocks > this.#rolled.blocks) {
      const nodes = roll(this.#blocks, pauseOf(this.#program.reset_ns))
      this.#rolled = { lines: writeNodes(nodes).lines, blocks }
      this.#added = 0
    }
    return this.#rolled.lines
  }

  /** The whole sequence for a number of shots. */
  sequence(shots: number): PortSequence {
    const perBin = this.#program.kind === 'shots' ? shots : 1
    const bins = this.#placements.length * perBin
    const program = [
      `set_mrk ${this.#ports.markers(this.port)}`,
      'wait_sync 4',
      // The delay is part of this instruction: it may be too short for a wait of its own.
      `upd_param ${DURATION_NS.min + this.#ports.delayNs(this.port)}`,
      `move 0,${OWN_REGISTERS.bin}`,
      `move ${shots},${OWN_REGISTERS.shots}`,
      'shot: nop',
      ...this.#roll(),
      `loop ${OWN_REGISTERS.shots},@shot`,
      'stop',
    ]
    return {
      sequence: {
        program: `${program.join('\n')}\n`,
        waveforms: this.#table.waveforms,
        acquisitions: bins === 0 ? {} : { '0': { index: 0, bins } },
      },
      integrationNs: this.#integrationNs,
      placements: this.#placements,
    }
  }
}

/** The tone of the last pulse that has started by a time. */
function playedAt(steps: readonly Step[], at: number): Step['tone'] {
  return steps.findLast((step) => step.tone !== undefined && step.at <= at)?.tone
}
