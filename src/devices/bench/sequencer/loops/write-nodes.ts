import { DURATION_NS, REGISTERS, STEPS_PER_TURN } from '../sequence.ts'
import { type Instruction, type SweptKind, sweptKindOf } from './instruction.ts'
import type { Block, Loop, Node } from './node.ts'
import { FRACTION_UNIT, type Sweep } from './progression.ts'

/** Registers of every sequence: the next bin, the shots that remain, and the waits that remain. */
export const OWN_REGISTERS = { bin: 'R0', shots: 'R1', waits: 'R2' } as const
const FIRST_FREE = 3

/** The text of nodes, and what it needs. */
export interface WrittenNodes {
  lines: string[]
  /** Whether a sequencer has registers enough. */
  hasRegisters: boolean
  /** The most instructions on registers alone that stand between two instructions of blocks. */
  preparation: number
}

/** Writes nodes as lines, with registers for what loops change. */
export function writeNodes(nodes: readonly Node[]): WrittenNodes {
  const writer = new NodeWriter()
  for (const node of nodes)
    writer.write(
      node,
      node.values.map(({ number }) => number),
      FIRST_FREE,
    )
  return writer.finish()
}

/** A number, or the register that holds it. */
type Operand = number | string

class NodeWriter {
  readonly #lines: string[] = []
  #labels = 0
  #registers = 0
  #sinceBlock = 0
  #preparation = 0

  /** @param free number of the first register that nobody uses */
  write(node: Node, values: readonly Operand[], free: number): void {
    if (node.kind === 'block') this.#writeBlock(node, values)
    else this.#writeLoop(node, values, free)
  }

  finish(): WrittenNodes {
    return {
      lines: this.#lines,
      hasRegisters: this.#registers <= REGISTERS,
      preparation: this.#preparation,
    }
  }

  #writeBlock({ instructions }: Block, values: readonly Operand[]): void {
    this.#preparation = Math.max(this.#preparation, this.#sinceBlock)
    this.#sinceBlock = 0
    let next = 0
    for (const each of instructions) {
      const operands = each.operands.map((operand, at) =>
        typeof operand === 'string' || sweptKindOf(each, at) === undefined ? operand : (values[next++] ?? 0),
      )
      this.#writeInstruction(each, operands)
    }
  }

  #writeInstruction(each: Instruction, operands: readonly Operand[]): void {
    const { name, times } = each
    const last = operands.at(-1)
    if (times !== undefined) {
      const start = this.#label()
      this.#lines.push(
        `move ${times},${OWN_REGISTERS.waits}`,
        `${start}: ${name} ${operands.join(',')}`,
        `loop ${OWN_REGISTERS.waits},@${start}`,
      )
    } else if (
      typeof last === 'string' &&
      name !== 'wait' &&
      sweptKindOf(each, operands.length - 1) === 'gap'
    ) {
      const immediate = [...operands.slice(0, -1), DURATION_NS.min].join(',')
      this.#lines.push(`${name} ${immediate}`, `wait ${last}`)
    } else this.#lines.push(operands.length === 0 ? name : `${name} ${operands.join(',')}`)
  }

  #writeLoop(loop: Loop, values: readonly Operand[], free: number): void {
    const { body, count, sweeps } = loop
    let register = free
    const counter = `R${register++}`
    const updates: string[] = []
    const bound = values.map((value, at) => {
      const sweep = sweeps[at]
      const swept = loop.values[at]
      if (!sweep || !swept) return value
      const own = `R${register++}`
      const kind = sweptKindOf(swept.instruction, swept.operand) ?? 'word'
      this.#prepare(
        `move ${typeof value === 'number' ? initial(value, kind, swept.instruction) : value},${own}`,
      )
      const remainder = sweep.fraction === 0 ? undefined : `R${register++}`
      if (remainder !== undefined) this.#prepare(`move ${sweep.remainder},${remainder}`)
      updates.push(...this.#update(own, remainder, sweep, kind))
      return own
    })
    this.#registers = Math.max(this.#registers, register)
    const start = this.#label()
    // No register is read right after it was written: these two stand between.
    this.#prepare(`move ${count},${counter}`, `${start}: nop`)
    let first = 0
    for (const node of body) {
      this.write(node, bound.slice(first, first + node.values.length), register)
      first += node.values.length
    }
    this.#prepare(...updates, `loop ${counter},@${start}`)
  }

  /** The instructions that bring a register to its next value. */
  #update(register: string, remainder: string | undefined, sweep: Sweep, kind: SweptKind): string[] {
    const { step, fraction } = sweep
    const lines: string[] = []
    if (step !== 0) lines.push(`${step < 0 ? 'sub' : 'add'} ${register},${Math.abs(step)},${register}`)
    if (remainder !== undefined) {
      const label = this.#label()
      lines.push(
        ...[
          `add ${remainder},${fraction},${remainder}`,
          'nop',
          `jlt ${remainder},${FRACTION_UNIT},@${label}`,
        ],
        ...[
          `sub ${remainder},${FRACTION_UNIT},${remainder}`,
          `add ${register},1,${register}`,
          `${label}: nop`,
        ],
      )
    }
    if (kind !== 'phase' || lines.length === 0) return lines
    const label = this.#label()
    if (remainder === undefined) lines.push('nop')
    lines.push(
      ...[`jlt ${register},${STEPS_PER_TURN},@${label}`, `sub ${register},${STEPS_PER_TURN},${register}`],
      `${label}: nop`,
    )
    return lines
  }

  #prepare(...lines: readonly string[]): void {
    this.#lines.push(...lines)
    this.#sinceBlock += lines.length
  }

  #label(): string {
    return `l${this.#labels++}`
  }
}

/** The word with which a register starts; of a gap, only what the instruction itself does not last. */
function initial(value: number, kind: SweptKind, { name }: Instruction): number {
  return (kind === 'gap' && name !== 'wait' ? value - DURATION_NS.min : value) >>> 0
}
