import { expect, test } from 'bun:test'
import { createDummyInstrument } from '../../../src/devices/bench/dummy.ts'
import type { Schedule } from '../../../src/devices/pulse/schedule.ts'

const windowOf = (qubit: string) =>
  ({ at: 0, duration: 300, port: `${qubit}:res`, frequency: 6.5e9, qubit }) as const
const POINT: Schedule = { duration: 400, pulses: [], acquisitions: [windowOf('q0'), windowOf('q1')] }
const PROGRAM = { shots: 7, reset_ns: 0, points: [POINT, POINT, POINT] }
const signal = new AbortController().signal

test('a dummy returns zeros of the right shape', async () => {
  const dummy = createDummyInstrument()
  await dummy.open()
  const averages = await dummy.run({ kind: 'average', ...PROGRAM }, signal)
  expect(averages).toEqual(
    Array(3).fill([
      { re: 0, im: 0 },
      { re: 0, im: 0 },
    ]),
  )
  const shots = await dummy.run({ kind: 'shots', ...PROGRAM }, signal)
  expect(shots.map((point) => point.map(({ i, q }) => [i.length, q.length]))).toEqual(
    Array(3).fill([
      [7, 7],
      [7, 7],
    ]),
  )
  const traces = await dummy.run({ kind: 'trace', ...PROGRAM }, signal)
  expect(traces[2]?.[1]?.q).toEqual(new Float64Array(300))
  await dummy.close()
})

test('a dummy refuses what no instrument can play, and stops when aborted', async () => {
  const dummy = createDummyInstrument()
  expect(dummy.run({ kind: 'average', ...PROGRAM, shots: 0 }, signal)).rejects.toThrow('shots: 0')
  expect(dummy.run({ kind: 'average', ...PROGRAM }, AbortSignal.abort())).rejects.toThrow('abort')
})
