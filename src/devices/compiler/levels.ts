import type { Op } from '../../qasm/index.ts'
import { decompose } from './decompose/decompose.ts'
import { relativeToffolis } from './decompose/relative-toffoli.ts'
import type { Step } from './decompose/step.ts'
import { optimize, optimizeFree } from './optimize/optimize.ts'
import { costOf, onBestQubits } from './route/best-qubits.ts'
import type { Coupling } from './route/coupling.ts'
import { planRoute, type RoutedCircuit, type RoutingEffort } from './route/route.ts'

/**
 * How much a circuit is optimized. 0: its gates are made as they are written, and routed; 1: gates of the
 * same qubits are joined, and the best of two routes is taken; 2: of many routes.
 */
export type OptimizationLevel = 0 | 1 | 2

/** The level of a circuit with so many physical qubits, which a person has compiled already. */
export function levelOf(wanted: OptimizationLevel | undefined, physicalQubits: number): OptimizationLevel {
  return wanted ?? (physicalQubits > 0 ? 0 : 1)
}

const EFFORTS: Readonly<Record<OptimizationLevel, RoutingEffort>> = {
  0: { starts: 24, gates: 170, results: 1 },
  1: { starts: 48, gates: 170, results: 2 },
  2: { starts: 100, gates: 1_000, results: 8 },
}

/**
 * The steps of a circuit whose qubits are in their ground state before it.
 * @throws JobError as `decompose` does.
 */
export function stepsOf(ops: readonly Op[], level: OptimizationLevel): Step[] {
  return level === 0 ? decompose(ops, true) : decompose(ops, false, relativeToffolis(ops))
}

/** A circuit to be placed on a chip. */
export interface PlacementRequest {
  steps: readonly Step[]
  /** Number of qubits that the circuit declares. */
  qubits: number
  /** Physical qubits of the circuit and their place. */
  fixed: ReadonlyMap<number, number>
  coupling: Coupling
}

/**
 * Places a circuit on a chip with the fewest CZ that the level finds, or where errors of CZ were measured,
 * with the smallest sum of them.
 * @throws JobError when the chip has too few qubits, or no way to join the qubits of a gate.
 */
export function place(request: PlacementRequest, level: OptimizationLevel): RoutedCircuit {
  return planPlacement(request, level)()
}

/**
 * The search of `place`, for a circuit that the chip can run.
 * @throws JobError as `place` does.
 */
export function planPlacement(request: PlacementRequest, level: OptimizationLevel): () => RoutedCircuit {
  const effort = EFFORTS[level]
  const { coupling, fixed } = request
  /** Physical qubits are not moved. */
  const placed = (circuit: RoutedCircuit) => (fixed.size > 0 ? circuit : onBestQubits(circuit, coupling))
  const cost = ({ steps }: RoutedCircuit) => costOf(steps, coupling)
  if (level === 0) {
    const search = planRoute({ ...request, effort, isWritten: true })
    return () => placed(first(search()))
  }
  const { steps, wires } = optimizeFree(request.steps, new Set(request.fixed.keys()))
  const search = planRoute({ ...request, steps, effort, isWritten: false })
  return () => {
    const routes = search().map((each) => placed({ ...each, steps: optimize(each.steps) }))
    const best = routes.reduce((one, other) => (cost(other) < cost(one) ? other : one))
    return { ...best, final: best.final.map((_, qubit) => best.final[wires.get(qubit) ?? qubit] ?? -1) }
  }
}

function first([only]: readonly RoutedCircuit[]): RoutedCircuit {
  if (!only) throw new RangeError('routing was abandoned')
  return only
}
