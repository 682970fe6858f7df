/** An instruction of a sequence, before loops have their registers and labels. */
export interface Instruction {
  readonly name: string
  /** Numbers, or registers by their name. */
  readonly operands: readonly (number | string)[]
  /** Repeats the instruction, in a loop of its own. */
  readonly times?: number
}

/** An instruction. */
export function instruction(name: string, ...operands: readonly (number | string)[]): Instruction {
  return { name, operands }
}

/**
 * How a number of an instruction can change from one passage of a loop to the next, when a register holds it:
 * `word` wraps at 32 bits, `phase` at a turn, `gap` is a duration that only a wait takes from a register.
 */
export type SweptKind = 'word' | 'phase' | 'gap'

interface SweptOperands {
  kinds: readonly (SweptKind | undefined)[]
  /** These operands are either all numbers or all registers. */
  together?: readonly number[]
}

/** The operands that the sequencer takes from registers, by instruction. */
const SWEPT: Readonly<Record<string, SweptOperands>> = {
  set_freq: { kinds: ['word'] },
  set_ph: { kinds: ['phase'] },
  set_awg_gain: { kinds: ['word', 'word'], together: [0, 1] },
  set_awg_offs: { kinds: ['word', 'word'], together: [0, 1] },
  wait: { kinds: ['gap'] },
  upd_param: { kinds: ['gap'] },
  play: { kinds: ['word', 'word', 'gap'], together: [0, 1] },
  acquire: { kinds: [undefined, 'word', 'gap'] },
}

/** How an operand can be swept; undefined for one that cannot. */
export function sweptKindOf({ name, times }: Instruction, operand: number): SweptKind | undefined {
  return times === undefined ? SWEPT[name]?.kinds[operand] : undefined
}

/** The operands that have to be registers when this one is. */
export function partnersOf({ name }: Instruction, operand: number): readonly number[] {
  const together = SWEPT[name]?.together ?? []
  return together.includes(operand) ? together : [operand]
}

/** Lines of instructions: a repeated one has its counter and its loop. */
export function blockLength(instructions: readonly Instruction[]): number {
  return instructions.reduce((lines, { times }) => lines + (times === undefined ? 1 : 3), 0)
}
