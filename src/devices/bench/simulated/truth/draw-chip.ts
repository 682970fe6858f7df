import { Draws } from '../random.ts'
import type { ChipTruth, EdgeTruth, QubitTruth } from './chip-truth.ts'
import type { ChipDesign, EdgeDesign } from './design.ts'
import { drawEdge } from './draw-edge.ts'
import { type BringUp, drawQubit } from './draw-qubit.ts'

/** Qubits that share a readout line. */
const QUBITS_PER_LINE = 8

interface DrawOptions {
  seed: number
  /** ISO 8601, UTC. */
  epoch: string
  bringUp?: BringUp
  timeScale?: number
}

/** Draws a chip around a design; equal seeds and designs give equal chips. */
export function drawChip(design: ChipDesign, options: DrawOptions): ChipTruth {
  const draws = new Draws(options.seed)
  const bands = bandsOf(design)
  const count = Math.ceil(design.qubits.length / QUBITS_PER_LINE)
  const lineOf = (index: number) => `line_${Math.floor(index / QUBITS_PER_LINE)}`
  const qubits: Record<string, QubitTruth> = {}
  for (const [index, qubit] of design.qubits.entries()) {
    const place = {
      index: index % QUBITS_PER_LINE,
      count: Math.min(QUBITS_PER_LINE, design.qubits.length),
      band: bands.get(qubit.name) ?? 0,
      line: lineOf(index),
    }
    qubits[qubit.name] = drawQubit(draws, qubit, place, options.bringUp ?? 'normal')
  }
  const edges: Record<string, EdgeTruth> = {}
  for (const edge of design.edges)
    edges[edge.name] = drawEdge(draws, edge, qubits, neighborsOf(edge, design.edges))
  const lines = Array.from({ length: count }, (_, index) => {
    const draw = (field: string, low: number, high: number) =>
      draws.between(low, high, `line_${index}`, field)
    const line = {
      mirrored: draw('mirrored', -1, 1) < 0,
      delay: draw('delay', 148e-9, 260e-9),
      crosstalk: draw('crosstalk', 0.005, 0.02),
    }
    return [`line_${index}`, line] as const
  })
  return {
    version: 1,
    seed: options.seed,
    epoch: options.epoch,
    time_scale: options.timeScale ?? 1,
    shots_noise: true,
    drift: true,
    hand: draws.between(-1, 1, 'chip', 'hand') < 0 ? -1 : 1,
    qubits,
    edges,
    readout_lines: Object.fromEntries(lines),
    events: [],
  }
}

/** Alternating bands by breadth-first search, so that neighbors differ wherever the graph allows it. */
function bandsOf({ qubits, edges }: ChipDesign): Map<string, number> {
  const bands = new Map<string, number>()
  const queue: [string, number][] = []
  for (const { name } of qubits) {
    queue.push([name, 0])
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [here, band] = next
      if (bands.has(here)) continue
      bands.set(here, band)
      queue.push(...adjacentTo(here, edges).map((other): [string, number] => [other, 1 - band]))
    }
  }
  return bands
}

function adjacentTo(name: string, edges: readonly EdgeDesign[]): string[] {
  return edges.flatMap(({ parent, child }) => {
    if (parent === name) return [child]
    return child === name ? [parent] : []
  })
}

/** Edges that share a qubit with this one. */
function neighborsOf(edge: EdgeDesign, edges: readonly EdgeDesign[]): string[] {
  const ends = [edge.parent, edge.child]
  return edges
    .filter((other) => other !== edge && (ends.includes(other.parent) || ends.includes(other.child)))
    .map(({ name }) => name)
}
