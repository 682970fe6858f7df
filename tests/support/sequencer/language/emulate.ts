import { ACQUISITION_SPACING_NS, DURATION_NS } from '../../../../src/devices/bench/sequencer/sequence.ts'
import { ArithmeticUnit } from './arithmetic.ts'
import type { Instruction } from './assemble.ts'
import { Output, type OutputState } from './output.ts'

/** What a sequencer does at a time, ns after its first `wait_sync` (or its start, without one). */
export type SequencerEvent =
  /** New settings of the output take effect. */
  | { readonly kind: 'update'; readonly t: number; readonly output: OutputState }
  /** Two waveforms start, one a path. */
  | {
      readonly kind: 'play'
      readonly t: number
      readonly output: OutputState
      readonly waveforms: readonly [number, number]
    }
  /** An acquisition starts. */
  | {
      readonly kind: 'acquire'
      readonly t: number
      readonly output: OutputState
      readonly acquisition: number
      readonly bin: number
    }

/** A program that a sequencer runs into an error, or that this emulator does not follow. */
class EmulationError extends Error {
  override readonly name = 'EmulationError'

  constructor({ line, name }: Instruction, problem: string) {
    super(`line ${line}: ${name}: ${problem}`)
  }
}

/** Number of instructions after which a run is given up: about 10 s of this emulator. */
const MAX_STEPS = 100_000_000

/**
 * Runs an assembled program and yields what it plays and acquires, in the order of time. As in the sequencer,
 * settings take effect with the next `upd_param`, `play` or `acquire`, and a register has its new value after
 * the next instruction. Conditions, triggers, latches and weighted acquisitions are not followed.
 * @param initial settings of the output before the program sets any
 * @returns the time at which the program stops, ns.
 * @throws EmulationError at an instruction that cannot run, and for a program that does not stop.
 */
export function* emulate(
  instructions: readonly Instruction[],
  initial: Partial<OutputState> = {},
): Generator<SequencerEvent, number> {
  const unit = new ArithmeticUnit()
  const output = new Output(initial)
  const timeline = new Timeline()
  let at = 0
  for (let step = 0; step < MAX_STEPS; step++) {
    const instruction = instructions[at]
    if (!instruction) throw new Error('the program ran past its end')
    const operands = unit.begin(instruction)
    at = unit.execute(instruction, at)
    if (instruction.name === 'stop') return timeline.t
    if (output.set(instruction.name, operands) || !instruction.operation.isTimed) continue
    const event = timeline.take(instruction, operands, output)
    if (event) yield event
  }
  throw new Error(`the program did not stop within ${MAX_STEPS} instructions`)
}

/** The time of a sequencer, and what its timed instructions do at it. */
class Timeline {
  /** ns */
  t = 0
  #isSynced = false
  #nextAcquisition = Number.NEGATIVE_INFINITY

  take(instruction: Instruction, operands: readonly number[], output: Output): SequencerEvent | undefined {
    const duration = operands.at(-1) ?? 0
    if (duration < DURATION_NS.min || duration > DURATION_NS.max) {
      throw new EmulationError(instruction, `a duration of ${duration} ns`)
    }
    // Zero is the end of the first synchronization, which all sequencers of a run leave together.
    if (instruction.name === 'wait_sync' && !this.#isSynced) {
      this.#isSynced = true
      this.t = -duration
    }
    const event = this.#eventOf(instruction, operands, output)
    this.t += duration
    return event
  }

  #eventOf(
    instruction: Instruction,
    [a = 0, b = 0]: readonly number[],
    output: Output,
  ): SequencerEvent | undefined {
    const { t } = this
    switch (instruction.name) {
      case 'wait':
      case 'wait_sync':
        return undefined
      case 'upd_param':
        return { kind: 'update', t, output: output.apply(t) }
      case 'play':
        return { kind: 'play', t, output: output.apply(t), waveforms: [a, b] }
      case 'acquire':
        if (t < this.#nextAcquisition) {
          throw new EmulationError(
            instruction,
            `less than ${ACQUISITION_SPACING_NS} ns after the previous one`,
          )
        }
        this.#nextAcquisition = t + ACQUISITION_SPACING_NS
        return { kind: 'acquire', t, output: output.apply(t), acquisition: a, bin: b }
      default:
        throw new EmulationError(instruction, 'this emulator does not follow it')
    }
  }
}
