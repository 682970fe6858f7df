import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../../src/base/index.ts'
import { acquisitionArray } from '../../../../src/devices/bench/raw-data/acquisition-array.ts'
import { encodeNpy } from '../../../../src/devices/bench/raw-data/npy.ts'
import { RawDataFolder } from '../../../../src/devices/bench/raw-data/raw-data-folder.ts'
import { RawDataSpace } from '../../../../src/devices/bench/raw-data/raw-data-space.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

function spaceOf(folder: string, maxBytes = Number.POSITIVE_INFINITY): RawDataSpace {
  const limits = { maxBytes, minFreeBytes: 0 }
  return new RawDataSpace({ folder, clock: new FakeClock(), log: silentLog, limits })
}

test('each array of a run is a file, and the index names the run, its shapes and labels', async () => {
  using folder = temporaryFolder()
  const data = new RawDataFolder({
    space: spaceOf(folder.path),
    run: 'run000000000001',
    backend: 'scheduler_a_tuner+simulated',
    clock: new FakeClock(),
  })
  const average = acquisitionArray([[{ re: 1, im: 2 }], [{ re: 3, im: -4 }]])
  // Both at once: the files and the index keep the order.
  await Promise.all([
    data.add('t1-q0', average, { routine: 't1', target: 'q0', axes: { delay: [0, 1e-6] } }),
    data.add('../t1/q1', average),
  ])
  const run = join(folder.path, 'run000000000001')
  expect(readdirSync(run).sort()).toEqual(['00001-t1-q0.npy', '00002-_t1_q1.npy', 'index.json'])
  expect(readFileSync(join(run, '00001-t1-q0.npy'))).toEqual(Buffer.from(encodeNpy(average)))
  expect(JSON.parse(readFileSync(join(run, 'index.json'), 'utf8'))).toEqual({
    version: 1,
    run: 'run000000000001',
    backend: 'scheduler_a_tuner+simulated',
    started_at: '2026-01-31T09:00:00.000Z',
    files: [
      {
        ...{ file: '00001-t1-q0.npy', at: '2026-01-31T09:00:00.000Z', dtype: 'complex128', shape: [2, 1] },
        labels: { routine: 't1', target: 'q0', axes: { delay: [0, 1e-6] } },
      },
      {
        ...{ file: '00002-_t1_q1.npy', at: '2026-01-31T09:00:00.000Z', dtype: 'complex128', shape: [2, 1] },
        labels: {},
      },
    ],
  })
})

test('shots and traces have a third axis; what is missing is NaN', () => {
  const shots = acquisitionArray([
    [
      { i: Float64Array.of(1, 2), q: Float64Array.of(3, 4) },
      { i: Float64Array.of(5, 6), q: Float64Array.of(7, 8) },
    ],
    [{ i: Float64Array.of(9), q: Float64Array.of(10) }],
  ])
  const none = Number.NaN
  if ('real' in shots) throw new Error('not complex')
  expect(shots.shape).toEqual([2, 2, 2])
  expect([...shots.i]).toEqual([1, 2, 5, 6, 9, none, none, none])
  expect([...shots.q]).toEqual([3, 4, 7, 8, 10, none, none, none])
  expect(acquisitionArray([]).shape).toEqual([0, 0])
})

test('the index counts arrays for which there was no room', async () => {
  using folder = temporaryFolder()
  const array = acquisitionArray([[{ re: 1, im: 2 }]])
  const size = encodeNpy(array).byteLength
  const data = new RawDataFolder({
    ...{ space: spaceOf(folder.path, 2 * size + 10), run: 'run', backend: 'dummy', clock: new FakeClock() },
  })
  await data.addText('snapshot.json', '{}')
  for (const name of ['a', 'b', 'c']) await data.add(name, array)
  const run = join(folder.path, 'run')
  expect(readdirSync(run).sort()).toEqual(['00001-a.npy', '00002-b.npy', 'index.json', 'snapshot.json'])
  const index = JSON.parse(readFileSync(join(run, 'index.json'), 'utf8'))
  expect(index).toMatchObject({ missing: 1, files: [{ file: '00001-a.npy' }, { file: '00002-b.npy' }] })
})
