import { expect, test } from 'bun:test'
import type { DeviceDescription, QualityCondition } from '../../../../src/protocol/index.ts'
import { DispatchBackoff } from '../../../../src/server/drivers/dispatch-backoff.ts'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { chipNeedsText } from '../../../../src/server/jobs/chip/job-chip-needs.ts'
import { JobDispatcher } from '../../../../src/server/jobs/dispatch/dispatcher.ts'
import { storeDescription } from '../../../../src/server/qpus/describe.ts'
import { featureBits } from '../../../../src/server/qpus/features.ts'
import { seeded } from '../../../support/fitting/seeded.ts'
import { JobLab } from '../../../support/server/job-lab.ts'
import { part } from '../../../support/whole.ts'

const QUBITS = 4
const HOUR_MS = 3_600_000

/** The truth about a row of qubits, of which pair `i` joins `i` and `i + 1`. */
interface Row {
  readout: number[]
  pairs: (number | undefined)[]
  /** ms since 1970. */
  at: number[]
  pairsAt: number[]
}

/** A job: on so many qubits in a row, or on these ones. */
interface Wanted {
  id: string
  target: string
  length: number
  first: number | undefined
  condition: { readout: number | undefined; pair: number | undefined; hours: number | undefined }
}

/** Whether a row has what a job wants, by trying each place. */
function hasRoom(row: Row, { length, first, condition }: Wanted, now: number): boolean {
  const { readout = 0, pair = 2, hours = 1e9 } = condition
  const isYoung = (at = 0) => now - at <= hours * HOUR_MS
  const hasQubit = (at: number) =>
    isYoung(row.at[at]) && (1 - (row.readout[at] ?? 1) > readout || readout === 0)
  const hasPair = (at: number) => isYoung(row.pairsAt[at]) && ((row.pairs[at] ?? 1) < pair || pair === 2)
  const places = first === undefined ? Array.from({ length: QUBITS - length + 1 }, (_, at) => at) : [first]
  return places.some((place) =>
    Array.from({ length }, (_, step) => place + step).every(
      (qubit, step) => hasQubit(qubit) && (step === 0 || hasPair(qubit - 1)),
    ),
  )
}

function describe({ readout, pairs, at, pairsAt }: Row): DeviceDescription {
  const time = (ms: number | undefined) => ({ calibrated_at: new Date(ms ?? 0).toISOString() })
  return {
    schema: 1,
    features: ['quality_condition'],
    qubits: readout.map((readout_error, index) => ({ name: `q${index}`, readout_error, ...time(at[index]) })),
    gates: [
      { name: 'x', on: readout.map((_, index) => ({ qubits: [index] })) },
      {
        name: 'cz',
        on: pairs.map((error, index) => ({
          ...{ qubits: [index, index + 1], ...time(pairsAt[index]) },
          ...(error !== undefined && { error }),
        })),
      },
    ],
  }
}

test('each claim is of the first job whose condition holds, while reports change it', async () => {
  const claims = part(100_000, 100)
  await using lab = await JobLab.open()
  const random = seeded(20_261_127)
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T
  const dispatcher = new JobDispatcher({
    ...lab.dependencies(),
    heartbeats: new Heartbeats(lab.clock, lab.config.jobTimeout),
    backoff: new DispatchBackoff(lab.clock),
  })
  const owner = await lab.user(1e9)
  const error = () => pick([0.005, 0.01, 0.02, 0.03, 0.05])
  const newRow = (isPerfect = false): Row => {
    const time = () => lab.clock.now() - (isPerfect ? 0 : Math.floor(random() * 4 * HOUR_MS))
    const of = <T>(length: number, value: () => T) => Array.from({ length }, value)
    return {
      readout: of(QUBITS, () => (isPerfect ? 0 : error())),
      pairs: of(QUBITS - 1, () => (isPerfect ? 0 : pick([undefined, error(), error()]))),
      at: of(QUBITS, time),
      pairsAt: of(QUBITS - 1, time),
    }
  }
  const chips = await Promise.all(
    [0, 1].map(async () => {
      const qpu = await lab.qpu({ numQubits: QUBITS })
      const chip = { qpu, target: await lab.attach(qpu.driver), row: newRow() }
      await storeDescription(lab.db, chip.target, describe(chip.row))
      return chip
    }),
  )
  const measured = new Map<string, Record<string, number>>()
  let queue: Wanted[] = []

  async function submit() {
    const length = pick([1, 1, 2, 3])
    const first = random() < 0.4 ? Math.floor(random() * (QUBITS - length + 1)) : undefined
    const condition = {
      readout: pick([undefined, 0.94, 0.96, 0.975, 0.985]),
      pair: pick([undefined, 0.04, 0.015, 0.008]),
      hours: pick([undefined, 1, 3]),
    }
    const require: QualityCondition = {
      ...(condition.readout !== undefined && { readout_fidelity: `>${condition.readout}` }),
      ...(condition.pair !== undefined && { two_qubit_error: `<${condition.pair}` }),
      ...(condition.hours !== undefined && { calibrated_within: `${condition.hours}h` }),
    }
    const isFree = Object.keys(require).length === 0
    const named = first === undefined ? [] : Array.from({ length }, (_, step) => first + step)
    const needs = {
      qubits: length,
      physical: named,
      pairs: named.slice(1).map((qubit): [number, number] => [qubit - 1, qubit]),
      groups: length > 1 ? [length] : [],
    }
    const chip = [{ path: 'circuits.0.circuit', needs }]
    const conditions = isFree ? {} : { require }
    const target = pick(['', '', chips[0]?.qpu.id, chips[1]?.qpu.id]) ?? ''
    const { id } = await lab.submit(
      owner,
      target,
      { qubits: QUBITS, features: isFree ? 0 : featureBits(['quality_condition']) },
      { chipNeeds: chipNeedsText({ chip, hasBits: true, allowsUncalibrated: false, ...conditions }) },
    )
    queue.push({ id, target, length, first, condition })
  }

  /** Another description of a chip, another calibration, or both. */
  async function change(isPerfect: boolean) {
    const chip = pick(chips)
    const [isDescribed, isMeasured] = isPerfect
      ? [true, true]
      : pick([
          [true, false],
          [false, true],
          [true, true],
        ])
    if (isDescribed) {
      chip.row = newRow(isPerfect)
      await storeDescription(lab.db, chip.target, describe(chip.row))
    }
    if (isMeasured) await calibrate(chip, isPerfect)
  }

  /** A measured readout stays the newest one of its qubit. */
  async function calibrate({ qpu, target }: (typeof chips)[number], isPerfect: boolean) {
    const of = { ...measured.get(qpu.id) }
    for (let qubit = 0; qubit < QUBITS; qubit += 1)
      if (isPerfect || random() < 0.5) of[`q${qubit}`] = isPerfect ? 1 : 1 - error()
    measured.set(qpu.id, of)
    await lab.calibrate(target, of)
  }

  let claimed = 0
  for (let round = 0; claimed < claims; round += 1) {
    for (let count = pick([0, 1, 2]); count > 0; count -= 1) await submit()
    if (random() < 0.4 || queue.length > 12) await change(queue.length > 12)
    await lab.clock.advance(Math.floor(random() * 0.5 * HOUR_MS) + 1)
    const before = lab.hub.sent.length
    // A pass judges a few jobs; more passes follow, for which changes wake the loop.
    for (let pass = 0; pass < 3; pass += 1) await dispatcher.dispatchOnce()
    const sent = lab.hub.commands('RunJob').slice(before)
    const expected: string[] = []
    for (const { qpu, row } of chips) {
      const readout = row.readout.map((each, at) => 1 - (measured.get(qpu.id)?.[`q${at}`] ?? 1 - each))
      const first = queue.find(
        (job) =>
          (job.target === '' || job.target === qpu.id) && hasRoom({ ...row, readout }, job, lab.clock.now()),
      )
      if (first) expected.push(first.id)
      queue = queue.filter((job) => job !== first)
    }
    expect([round, ...sent.map(({ job }) => job)]).toEqual([round, ...expected])
    for (const id of expected) await lab.complete(id)
    claimed += expected.length
    lab.hub.sent.length = 0
  }
}, 1_800_000)
