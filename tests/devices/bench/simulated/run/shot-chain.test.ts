import { expect, setDefaultTimeout, test } from 'bun:test'
import type { IqArrays } from '../../../../../src/devices/bench/instrument.ts'
import type { Schedule } from '../../../../../src/devices/pulse/schedule.ts'
import { chipOf, quietTruth } from '../../../../support/simulated-chip/chips.ts'
import { PI_NS, qubitOf, readout, rotation } from '../../../../support/simulated-chip/experiments.ts'

const SHOTS = 4_000
const SECOND_NS = 8_000

setDefaultTimeout(60_000)

/** A chip of qubits that are read without noise and relax within tens of shots. */
function quietChip(qubits: number, seed: number) {
  const truth = { ...quietTruth(qubits, seed), shots_noise: true }
  for (const name of Object.keys(truth.qubits)) {
    const qubit = qubitOf(truth, name)
    Object.assign(qubit, { t1: 100e-6, t2_echo: 80e-6, t2_star: 20e-6 })
    qubit.readout.noise = 1e-9
  }
  return { truth, names: Object.keys(truth.qubits), chip: chipOf(truth).chip }
}

/**
 * A quarter turn, a reading, a turn of 0.3 π and a reading of each qubit. In three parts, the quarter turn
 * is played shot by shot.
 */
function scheduleOf({ truth, names }: ReturnType<typeof quietChip>, parts: number): Schedule {
  const pulses = names.flatMap((name) => [
    ...Array.from({ length: parts }, (_, part) => rotation(truth, name, part * PI_NS, 0.5 / parts)),
    rotation(truth, name, SECOND_NS - PI_NS, 0.3),
  ])
  const reads = names.flatMap((name) => [readout(truth, name, 3 * PI_NS), readout(truth, name, SECOND_NS)])
  return {
    duration: SECOND_NS + 3_000,
    pulses: [...pulses, ...reads.map(({ pulse }) => pulse)],
    acquisitions: reads.map(({ window }) => window),
  }
}

/** Shares of the outcomes of both readings of all qubits, by a threshold between 0 and 1. */
async function outcomesOf(bench: ReturnType<typeof quietChip>, parts: number): Promise<Map<string, number>> {
  const { chip, truth, names } = bench
  const run = (points: Schedule[], shots: number, reset_ns: number) =>
    chip.run({ kind: 'shots', shots, reset_ns, points }, new AbortController().signal)
  const levels = [0, 1].map((turn): Schedule => {
    const reads = names.map((name) => readout(truth, name, PI_NS))
    return {
      duration: 3_500,
      pulses: [...names.map((name) => rotation(truth, name, 0, turn)), ...reads.map(({ pulse }) => pulse)],
      acquisitions: reads.map(({ window }) => window),
    }
  })
  const [zeros = [], ones = []] = await run(levels, 201, 10_000_000)
  const middle = (values: Float64Array | undefined) => values?.toSorted()[100] ?? Number.NaN
  const [found = []] = await run([scheduleOf(bench, parts)], SHOTS, 5_000)
  const isOne = ({ i, q }: IqArrays, shot: number, qubit: number) => {
    const distance = (level: IqArrays | undefined) =>
      Math.hypot((i[shot] ?? 0) - middle(level?.i), (q[shot] ?? 0) - middle(level?.q))
    return distance(ones[qubit]) < distance(zeros[qubit])
  }
  const shares = new Map<string, number>()
  for (let shot = 0; shot < SHOTS; shot++) {
    const key = found.map((series, at) => (isOne(series, shot, Math.floor(at / 2)) ? 1 : 0)).join('')
    shares.set(key, (shares.get(key) ?? 0) + 1 / SHOTS)
  }
  return shares
}

test.each([1, 2])(
  '%d qubits that are read twice end as when they are played shot by shot',
  async (qubits) => {
    const [chain, alone] = [
      await outcomesOf(quietChip(qubits, 3), 1),
      await outcomesOf(quietChip(qubits, 3), 3),
    ]
    expect(chain.size).toBe(2 ** (2 * qubits))
    for (const [key, share] of alone) {
      const error = Math.sqrt((2 * share * (1 - share)) / SHOTS)
      const far = Math.abs((chain.get(key) ?? 0) - share) > 4.5 * error + 0.002
      expect([key, share, far]).toEqual([key, share, false])
    }
    // What the second reading finds depends on the first.
    const flips = [...chain].filter(([key]) => key[0] !== key[1]).reduce((sum, [, share]) => sum + share, 0)
    expect(flips).toBeWithin(0.18, 0.27)
  },
)
