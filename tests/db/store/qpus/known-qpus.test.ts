import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { AppError } from '../../../../src/base/index.ts'
import type { ReadTx, Tx } from '../../../../src/db/index.ts'
import { calibrationResults, withdrawReport } from '../../../../src/db/store/calibrations/index.ts'
import type { DispatchTarget } from '../../../../src/db/store/jobs/index.ts'
import { descriptionOf } from '../../../../src/db/store/qpus/descriptions.ts'
import { describeQpu, KnownQpus, qpuNamed, qpus } from '../../../../src/db/store/qpus/index.ts'
import { MAX_KEPT_DESCRIPTIONS } from '../../../../src/db/store/qpus/known-qpus.ts'
import { recalledCalibrationOf } from '../../../../src/db/store/qpus/recalled-calibration.ts'
import { declareRecall, undoRecall } from '../../../../src/db/store/recalls/index.ts'
import { JobLab } from '../../../support/server/job-lab.ts'
import { part } from '../../../support/whole.ts'

const limits = { num_qubits: 3, max_qubits: 3, max_shots: 0, max_executions: 0, missing_features: 0 }

test('KnownQpus has each QPU with its description as the store has them, also after a change that is undone', async () => {
  await using lab = await JobLab.open()
  const { db } = lab
  const { id, name, driver } = await lab.qpu()
  const known = new KnownQpus(db)
  const target = await lab.attach(driver)
  const describe = (qubits: number) =>
    db.write('describe', (tx) =>
      describeQpu(tx, target, { described: `{"schema":1,"num_qubits":${qubits}}`, limits }),
    )
  const seen = () =>
    db.read((tx) => {
      expect(known.list(tx)).toEqual(tx.list(qpus))
      return [
        qpuNamed(known.list(tx), name.replaceAll('_', '-'))?.id,
        qpuNamed(known.list(tx), id)?.name,
        tx.read(known.description(tx, id))?.value,
      ]
    })
  expect(await seen()).toEqual([id, name, undefined])
  await describe(5)
  expect(await seen()).toEqual([id, name, { schema: 1, num_qubits: 5 }])
  const undone = db.write('rename', (tx) => {
    tx.update(qpus, id, { enabled: false })
    expect(qpuNamed(known.list(tx), id)?.enabled).toBe(true)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await seen()).toEqual([id, name, { schema: 1, num_qubits: 5 }])
  await db.write('disable', (tx) => tx.update(qpus, id, { enabled: false }))
  await describe(6)
  await lab.qpu()
  expect(await seen()).toEqual([id, name, { schema: 1, num_qubits: 6 }])
  expect(await db.read((tx) => qpuNamed(known.list(tx), 'nowhere'))).toBeUndefined()
})

test('a long description is read and parsed once, until all are too long together', async () => {
  await using lab = await JobLab.open()
  const known = new KnownQpus(lab.db)
  const targets = await Promise.all([0, 1, 2].map(async () => lab.attach((await lab.qpu()).driver)))
  const describe = async (at: number, characters: number) => {
    const described = JSON.stringify({ schema: 1, text: 'x'.repeat(characters) })
    const target = targets[at] ?? expect.unreachable()
    await lab.db.write('describe', (tx) => describeQpu(tx, target, { described, limits }))
  }
  const textOf = (at: number) => lab.db.read((tx) => tx.read(known.description(tx, targets[at]?.qpu ?? '')))
  const isKept = async (at: number) => {
    const [one, other] = [await textOf(at), await textOf(at)]
    return one === other
  }
  for (const at of [0, 1, 2]) await describe(at, 700_000 + at)
  for (const at of [0, 1, 2]) expect((await textOf(at))?.text).toContain('x'.repeat(700_000 + at))
  for (const at of [0, 1, 2]) expect(await isKept(at)).toBe(true)
  const first = await textOf(0)
  await describe(2, MAX_KEPT_DESCRIPTIONS - 800_000)
  await textOf(2)
  // The oldest has made room for it.
  expect(await isKept(1)).toBe(true)
  expect(await textOf(0)).not.toBe(first)
  await describe(2, MAX_KEPT_DESCRIPTIONS)
  expect(await isKept(2)).toBe(false)
})

test('a transaction sees the QPUs as the earlier ones of its commit leave them, whoever reads in between', async () => {
  await using lab = await JobLab.open()
  const { db } = lab
  const { id } = await lab.qpu()
  const known = new KnownQpus(db)
  const enabledIn = (tx: ReadTx) => [
    qpuNamed(known.list(tx), id)?.enabled,
    known.list(tx).filter(({ enabled }) => enabled).length,
  ]
  const set = (enabled: boolean) => db.write('set', (tx) => tx.update(qpus, id, { enabled }))
  // In one turn, so that all share a commit.
  const [, committed, next] = await Promise.all([
    set(false),
    db.read(enabledIn),
    db.write('next', (tx) => enabledIn(tx)),
  ])
  expect(committed).toEqual([true, 1])
  expect(next).toEqual([false, 0])
  expect(await db.read(enabledIn)).toEqual([false, 0])
  // What a transaction reads after its own change is undone with it.
  await set(false)
  const undone = db.write('undone', (tx) => {
    tx.update(qpus, id, { enabled: true })
    expect(enabledIn(tx)).toEqual([true, 1])
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await db.write('later', (tx) => enabledIn(tx))).toEqual([false, 0])
})

const act = fc.record({
  do: fc.constantFrom(
    ...(['describe', 'disable', 'calibrate', 'recall', 'undo', 'withdraw', 'register'] as const),
  ),
  qpu: fc.nat(5),
  which: fc.nat(5),
  fails: fc.boolean(),
})

type Act = typeof act extends fc.Arbitrary<infer T> ? T : never
const ORDER = { actor: 'superuser:test', reason: 'a bad fit' }

function nth(tx: ReadTx, sql: string, qpu: string, at: number): string | undefined {
  const rows = tx.all<{ id: string }>(sql, { qpu })
  return rows[at % Math.max(1, rows.length)]?.id
}

test('after random acts, some undone and some in one commit, what is known is what the store has', async () => {
  const play = async (groups: Act[][]) => {
    await using lab = await JobLab.open()
    const { db } = lab
    const all = [await lab.qpu(), await lab.qpu()]
    const targets = await Promise.all(all.map(({ driver }) => lab.attach(driver)))
    const known = new KnownQpus(db)
    const ids = () => all.map(({ id }) => id)
    const compare = (tx: ReadTx) => {
      expect(known.list(tx)).toEqual(tx.list(qpus))
      for (const id of ids()) {
        const found = [known.get(tx, id), tx.read(known.description(tx, id)), tx.read(known.recalled(tx, id))]
        const stored = [tx.find(qpus, id), tx.read(descriptionOf(id)), tx.read(recalledCalibrationOf(id))]
        expect(found).toEqual(stored)
      }
    }
    const changes: Record<string, (tx: Tx, target: DispatchTarget, which: number) => void> = {
      describe: (tx, target, which) =>
        describeQpu(tx, target, { described: `{"schema":1,"n":${which}}`, limits }),
      disable: (tx, { qpu }, which) => void tx.update(qpus, qpu, { enabled: which % 2 === 0 }),
      recall: (tx, { qpu }, which) => {
        const report = nth(tx, 'SELECT id FROM calibration_results WHERE qpu = $qpu ORDER BY id', qpu, which)
        if (report !== undefined) declareRecall(tx, { report }, ORDER)
      },
      undo: (tx, { qpu }, which) => {
        const sql = "SELECT id FROM recalls WHERE qpu = $qpu AND undone_at = '' ORDER BY id"
        const recall = nth(tx, sql, qpu, which)
        if (recall !== undefined) undoRecall(tx, recall, ORDER)
      },
      withdraw: (tx, { qpu }, which) => {
        const report = tx.list(calibrationResults).filter((each) => each.qpu === qpu)[which]
        if (!report) return
        withdrawReport(tx, report)
        tx.remove(calibrationResults, report.id)
      },
    }
    const change = (tx: Tx, { do: what, qpu, which, fails }: Act) => {
      // What a transaction has changed itself is known to the next one.
      compare(tx)
      changes[what]?.(tx, targets[qpu % targets.length] ?? expect.unreachable(), which)
      if (fails) throw new AppError('conflict', 'undone')
    }
    /** What the store refuses changes nothing. */
    const refused = (error: unknown) => {
      if (!(error instanceof AppError)) throw error
    }
    for (const group of groups) {
      for (const { do: what, qpu } of group) {
        await lab.clock.advance(1_000)
        const target = targets[qpu % targets.length] ?? expect.unreachable()
        if (what === 'calibrate') await lab.calibrate(target, { q0: 0.9 })
        if (what === 'register' && all.length < 4) all.push(await lab.qpu())
      }
      // In one turn, so that they share a commit.
      const writes = group.map((each) => db.write(each.do, (tx) => change(tx, each)).catch(refused))
      await Promise.all([db.read(compare), ...writes])
      await db.read(compare)
    }
  }
  const groups = fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { minLength: 5, maxLength: 15 })
  await fc.assert(fc.asyncProperty(groups, play), { numRuns: part(60, 5) })
}, 300_000)
