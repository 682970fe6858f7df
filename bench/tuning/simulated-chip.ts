/**
 * The simulated chip of the tuners: `bun bench/tuning/simulated-chip.ts [--rounds 5]`. Each case is one
 * program of the size that a calibration of five qubits uses, without fits; "blocked" is the longest time for
 * which the event loop of the process had no turn.
 */
import { systemClock, watchEventLoop } from '../../src/base/index.ts'
import { createSimulatedChip, type SimulatedChip } from '../../src/devices/bench/simulated/simulated-chip.ts'
import type { ChipTruth } from '../../src/devices/bench/simulated/truth/chip-truth.ts'
import { drawChip } from '../../src/devices/bench/simulated/truth/draw-chip.ts'
import type { AcquisitionKind, Pulse, Schedule } from '../../src/devices/pulse/schedule.ts'
import { createRng } from '../../src/simulator/index.ts'
import { EPOCH, rowDesign } from '../../tests/support/simulated-chip/chips.ts'
import { measured, PI_NS, qubitOf, rotation } from '../../tests/support/simulated-chip/experiments.ts'
import { joinedCircuit } from '../../tests/support/simulated-chip/joined-circuit.ts'
import { formatFigure, spreadOf } from '../support/figures.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from '../support/output.ts'

const WATCH_MS = 2
const truth = drawChip(rowDesign(5), { seed: 1, epoch: EPOCH })
const names = Object.keys(truth.qubits)
const { rounds } = startBench('Simulated chip')

interface Case {
  name: string
  /** The chip with five qubits where absent. */
  truth?: ChipTruth
  kind: AcquisitionKind
  shots: number
  points: Schedule[]
}

const sweep = (count: number, pointAt: (share: number, index: number) => Schedule): Schedule[] =>
  Array.from({ length: count }, (_, index) => pointAt(index / count, index))

function spectroscopy(share: number): Schedule {
  const { f01 } = qubitOf(truth, 'q0')
  const pulse: Pulse = {
    at: 0,
    duration: 4000,
    port: 'q0:mw',
    frequency: f01 + (share - 0.5) * 40e6,
    phase: 0,
    amplitude: 0.01,
    envelope: { shape: 'soft_square', rise: 100 },
  }
  return measured(truth, [pulse], 4000)
}

/** A sequence of rotations about random axes, about as many as Cliffords of this number have. */
function sequence(cliffords: number, seed: number): Schedule {
  const rng = createRng(seed)
  const pulses = Array.from({ length: 2 * cliffords }, (_, index) =>
    rotation(
      truth,
      'q0',
      index * PI_NS,
      rng.next() < 0.5 ? 1 : 0.5,
      (Math.floor(4 * rng.next()) * Math.PI) / 2,
    ),
  )
  return measured(truth, pulses, pulses.length * PI_NS)
}

function chevron(share: number, index: number): Schedule {
  const duration = 24 + 16 * (index % 26)
  const pulse: Pulse = {
    at: PI_NS,
    duration,
    port: 'q0_q1:fl',
    frequency: 200e6 + 10e6 * share,
    phase: 0,
    amplitude: 0.5,
    envelope: { shape: 'soft_square', rise: 4 },
  }
  const pulses = [rotation(truth, 'q0', 0), rotation(truth, 'q1', 0), pulse]
  return measured(truth, pulses, PI_NS + duration, ['q0', 'q1'])
}

const TEN = drawChip(rowDesign(10), { seed: 1, epoch: EPOCH })
const DEPTHS = [1, 4, 16, 64, 256, 512, 1024]
const CASES: Case[] = [
  { name: 'spectroscopy, 1,005 points', kind: 'average', shots: 1000, points: sweep(1005, spectroscopy) },
  {
    name: 'Ramsey, 243 points',
    kind: 'average',
    shots: 1000,
    points: sweep(243, (share) => {
      const delay = Math.round(share * 20_000)
      const pulses = [0, PI_NS + delay].map((at) => rotation(truth, 'q0', at, 0.5))
      return measured(truth, pulses, 2 * PI_NS + delay)
    }),
  },
  {
    name: 'benchmarking, 84 sequences up to 1,024',
    kind: 'average',
    shots: 500,
    points: Array.from({ length: 84 }, (_, index) => sequence(DEPTHS[index % 7] ?? 1, index)),
  },
  { name: 'chevron, 650 points', kind: 'average', shots: 1000, points: sweep(650, chevron) },
  {
    name: 'shots of 5 qubits, 2 points of 5,000',
    kind: 'shots',
    shots: 5000,
    points: sweep(2, (share) => {
      const pulses = share > 0 ? names.map((name) => rotation(truth, name, 0)) : []
      return measured(truth, pulses, PI_NS, names)
    }),
  },
  {
    // At 82c7c85a this took 28 s; the goal is a fifth of that.
    name: 'shots of 10 qubits with 24 CZ, 1,000',
    truth: TEN,
    kind: 'shots',
    shots: 1000,
    points: [joinedCircuit(TEN, 24, createRng(1))],
  },
]

async function measure(chip: SimulatedChip, { kind, shots, points }: Case): Promise<[number, number]> {
  let blocked = 0
  const stop = watchEventLoop((delay) => {
    blocked = Math.max(blocked, delay)
  }, WATCH_MS)
  const start = performance.now()
  await chip.run({ kind, shots, reset_ns: 300_000, points }, new AbortController().signal)
  const ms = performance.now() - start
  stop()
  return [ms, blocked]
}

const rows: (string | number)[][] = []
for (const each of CASES) {
  const times: number[] = []
  let longest = 0
  for (let round = 0; round < rounds; round++) {
    // A chip of its own each time: nothing is left from the round before.
    const [ms, blocked] = await measure(
      createSimulatedChip({ truth: each.truth ?? truth, clock: systemClock }),
      each,
    )
    times.push(ms)
    longest = Math.max(longest, blocked)
  }
  rows.push([each.name, ...spreadCells(spreadOf(times)), formatFigure(longest)])
}
printTable(['ms', ...SPREAD_HEAD, 'blocked'], rows)
