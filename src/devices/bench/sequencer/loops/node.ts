import { type Instruction, sweptKindOf } from './instruction.ts'
import type { Sweep } from './progression.ts'

/** The instructions of one point. */
export interface Block {
  readonly kind: 'block'
  readonly instructions: readonly Instruction[]
  /** Equal for blocks that differ in `values` only. */
  readonly shape: string
  readonly values: readonly SweptValue[]
}

/** A number that a register can hold. */
export interface SweptValue {
  readonly number: number
  readonly instruction: Instruction
  readonly operand: number
}

/** Nodes that repeat, with what changes from one passage to the next. */
export interface Loop {
  readonly kind: 'loop'
  readonly body: readonly Node[]
  readonly count: number
  /** For each value of the body, in turn; undefined for one that stays. */
  readonly sweeps: readonly (Sweep | undefined)[]
  readonly shape: string
  /** Values of the first passage. */
  readonly values: readonly SweptValue[]
}

export type Node = Block | Loop

/** The instructions of one point as a node. */
export function blockNode(instructions: readonly Instruction[]): Block {
  const values: SweptValue[] = []
  const names = instructions.map((instruction) => {
    const operands = instruction.operands.map((number, operand) => {
      if (typeof number === 'string' || sweptKindOf(instruction, operand) === undefined) return number
      values.push({ number, instruction, operand })
      return '*'
    })
    return `${instruction.name} ${operands.join(',')} ${instruction.times ?? ''}`
  })
  return { kind: 'block', instructions, shape: names.join('\n'), values }
}

/** A loop over the same nodes. */
export function loopNode(body: readonly Node[], count: number, sweeps: Loop['sweeps']): Loop {
  const swept = sweeps.map((sweep) => (sweep ? `${sweep.step}+${sweep.fraction}+${sweep.remainder}` : ''))
  const shapes = body.map(({ shape }) => shape)
  return {
    kind: 'loop',
    body,
    count,
    sweeps,
    shape: `${count} times ${swept.join(' ')}\n${shapes.join('\n')}\nend`,
    values: body.flatMap(({ values }) => values),
  }
}
