import { DURATION_NS } from '../sequence.ts'
import { blockLength, type Instruction, partnersOf, sweptKindOf } from './instruction.ts'
import { blockNode, type Loop, loopNode, type Node, type SweptValue } from './node.ts'
import { CONSTANT, Progression } from './progression.ts'
import { type WrittenNodes, writeNodes } from './write-nodes.ts'

/** Longest body of a loop, in nodes: points that differ otherwise than a register can follow. */
const MAX_PERIOD = 32
/** Loops of fewer passages save little. */
const MIN_COUNT = 3
/** Loops within loops: a sweep of three axes. */
const MAX_DEPTH = 3
/** Time that a sequencer is given for one instruction on registers, ns: well above what it needs. */
const PREPARATION_NS = 100

/**
 * Turns blocks of equal structure whose numbers change in equal steps into loops over registers, and such
 * loops into loops over loops. What is played stays the same to the last digit: a sweep that rounding made
 * uneven carries its remainder along.
 * @param pauseNs wait at the start of every block, in which registers are prepared; short ones allow less
 */
export function roll(blocks: readonly (readonly Instruction[])[], pauseNs: number): Node[] {
  const maxPreparation = pauseNs / PREPARATION_NS
  let nodes: Node[] = blocks.map(blockNode)
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const rolled = rollOnce(nodes, maxPreparation)
    if (rolled.length === nodes.length) break
    nodes = rolled
  }
  return nodes
}

function rollOnce(nodes: readonly Node[], maxPreparation: number): Node[] {
  const shapes = numbered(nodes)
  const lengths = nodes.map(lengthOf)
  const rolled: Node[] = []
  for (let at = 0; at < nodes.length; ) {
    const loop = loopFrom({ nodes, shapes, lengths }, at, maxPreparation)
    const node = loop ?? nodes[at]
    if (node) rolled.push(node)
    at += loop ? loop.count * loop.body.length : 1
  }
  return rolled
}

/** A number for each node, the same for nodes of the same shape. */
function numbered(nodes: readonly Node[]): number[] {
  const numbers = new Map<string, number>()
  return nodes.map(({ shape }) => {
    const number = numbers.get(shape) ?? numbers.size
    numbers.set(shape, number)
    return number
  })
}

/** Nodes in a row, with the number of the shape and the lines of each. */
interface Row {
  nodes: readonly Node[]
  shapes: readonly number[]
  lengths: readonly number[]
}

/** The loop of the shortest period from a node on that saves instructions; loops around it come later. */
function loopFrom(row: Row, first: number, maxPreparation: number): Loop | undefined {
  const isPossible = (written: WrittenNodes) => written.hasRegisters && written.preparation <= maxPreparation
  for (let period = 1; first + MIN_COUNT * period <= row.nodes.length && period <= MAX_PERIOD; period++) {
    // What a few passages need in registers and time is the least that any longer body needs.
    const shortest = loopAt(row, first, period, MIN_COUNT)
    if (!shortest) continue
    if (!isPossible(writeNodes([shortest]))) return undefined
    const loop = loopAt(row, first, period, Number.POSITIVE_INFINITY)
    if (!loop) continue
    const written = writeNodes([loop])
    const end = first + loop.count * period
    const saved =
      row.lengths.slice(first, end).reduce((sum, length) => sum + length, 0) - written.lines.length
    if (saved > 0 && isPossible(written)) return loop
  }
  return undefined
}

function loopAt({ nodes, shapes }: Row, first: number, period: number, most: number): Loop | undefined {
  // Most blocks of random gates are like no other, and long: their values are not looked at.
  const alike = passagesOf(shapes, first, period, most)
  if (alike < MIN_COUNT) return undefined
  const passageAt = (passage: number) => nodes.slice(first + passage * period, first + (passage + 1) * period)
  const valuesOf = (passage: number) => passageAt(passage).flatMap((node) => node.values)
  const body = passageAt(0)
  const values = valuesOf(0)
  let progressions = values.map(start)
  let count = 1
  while (
    count < alike &&
    valuesOf(count).every((value, at) => continues(progressions[at], value, values[at]))
  )
    count++
  if (count < MIN_COUNT) return undefined
  if (count < alike) {
    // The values of the passage that did not fit were added in part.
    progressions = values.map(start)
    for (let passage = 1; passage < count; passage++) {
      for (const [at, { number }] of valuesOf(passage).entries()) progressions[at]?.add(number)
    }
  }
  const sweeps = progressions.map((progression) => (progression.isConstant ? undefined : progression.sweep()))
  if (sweeps.some((sweep, at) => !sweep && !progressions[at]?.isConstant)) return undefined
  return loopNode(body, count, withPartners(sweeps, values))
}

/** How often the shapes from one on are repeated, as far as `most`. */
function passagesOf(shapes: readonly number[], first: number, period: number, most: number): number {
  let end = first + period
  const last = Math.min(shapes.length, first + most * period)
  while (end < last && shapes[end] === shapes[end - period]) end++
  return Math.floor((end - first) / period)
}

function start({ number, instruction, operand }: SweptValue): Progression {
  return new Progression(number, sweptKindOf(instruction, operand) ?? 'word')
}

/** Adds a value unless a register cannot have it: a wait is not shorter than the shortest. */
function continues(
  progression: Progression | undefined,
  { number, instruction, operand }: SweptValue,
  first: SweptValue | undefined,
): boolean {
  if (!progression || !first) return false
  const isChanged = number !== first.number
  if (isChanged && sweptKindOf(instruction, operand) === 'gap') {
    const least = instruction.name === 'wait' ? DURATION_NS.min : 2 * DURATION_NS.min
    if (Math.min(number, first.number) < least) return false
  }
  return progression.add(number)
}

/** Operands that the sequencer takes together are all in registers when one is. */
function withPartners(sweeps: Loop['sweeps'], values: readonly SweptValue[]): Loop['sweeps'] {
  return sweeps.map((sweep, index) => {
    const own = values[index]
    if (sweep || !own) return sweep
    const partners = partnersOf(own.instruction, own.operand)
    const isSwept = [index - 1, index + 1].some((other) => {
      const value = values[other]
      return sweeps[other] && value?.instruction === own.instruction && partners.includes(value.operand)
    })
    return isSwept && partners.includes(own.operand) ? CONSTANT : undefined
  })
}

function lengthOf(node: Node): number {
  return node.kind === 'block' ? blockLength(node.instructions) : writeNodes([node]).lines.length
}
