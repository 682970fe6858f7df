import { REGISTERS } from '../../../../src/devices/bench/sequencer/sequence.ts'
import type { Instruction } from './assemble.ts'

type Binary = (a: number, b: number) => number

const BINARY: Readonly<Record<string, Binary>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  asl: (a, b) => a << b,
  asr: (a, b) => a >> b,
}

/** The registers of a sequencer and the instructions that work on them alone. */
export class ArithmeticUnit {
  readonly #registers = new Uint32Array(REGISTERS)
  /** What the previous instruction wrote, which this one does not see yet. */
  #pending: { register: number; value: number } | undefined
  #operands: number[] = []

  /** Reads the operands of an instruction, then lets the previous instruction's result take effect. */
  begin({ values }: Instruction): readonly number[] {
    this.#operands = values.map((value) =>
      'number' in value ? value.number : (this.#registers[value.register] ?? 0),
    )
    if (this.#pending) this.#registers[this.#pending.register] = this.#pending.value
    this.#pending = undefined
    return this.#operands
  }

  /** Carries out the instruction number `at`, which `begin` has read; returns the number of the next one. */
  execute({ name, values }: Instruction, at: number): number {
    const [a = 0, b = 0, c = 0] = this.#operands
    const binary = BINARY[name]
    const target = values.at(-1)
    if (binary) this.#write(target, binary(a, b))
    else if (name === 'move') this.#write(target, a)
    else if (name === 'not') this.#write(target, ~a)
    else if (name === 'jmp') return a
    else if (name === 'jge') return a >= b ? c : at + 1
    else if (name === 'jlt') return a < b ? c : at + 1
    else if (name === 'loop') {
      this.#write(values[0], a - 1)
      return (a - 1) >>> 0 > 0 ? b : at + 1
    }
    return at + 1
  }

  #write(target: Instruction['values'][number] | undefined, value: number): void {
    if (target && 'register' in target) this.#pending = { register: target.register, value: value >>> 0 }
  }
}
