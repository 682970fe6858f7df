import { expect, test } from 'bun:test'
import { rangeOf, readIqPoints, readTraces } from '../../../ui/jobs/signals.ts'

test('points of each shot are sorted by slot; the mean is one point', () => {
  const single = readIqPoints([
    [
      [1, 2],
      [3, 4],
    ],
    [
      [5, 6],
      [7, 8],
    ],
  ])
  expect(single?.isSingle).toBe(true)
  expect(single?.slots.map(({ re, im }) => [[...re], [...im]])).toEqual([
    [
      [1, 5],
      [2, 6],
    ],
    [
      [3, 7],
      [4, 8],
    ],
  ])
  const mean = readIqPoints([
    [1, 2],
    [3, 4],
  ])
  expect([mean?.isSingle, mean?.slots.length, mean?.slots[1]?.im[0]]).toEqual([false, 2, 4])
})

test('traces are averaged over the shots', () => {
  const shots = readTraces([
    [
      [
        [0, 0],
        [2, 4],
      ],
    ],
    [
      [
        [2, 2],
        [4, 0],
      ],
    ],
  ])
  expect(shots?.shots).toBe(2)
  expect([...(shots?.slots[0]?.re ?? [])]).toEqual([1, 3])
  expect([...(shots?.slots[0]?.im ?? [])]).toEqual([1, 2])
  expect(
    readTraces([
      [
        [1, 2],
        [3, 4],
      ],
    ])?.slots[0]?.re.length,
  ).toBe(2)
})

test('other values are neither points nor traces', () => {
  for (const memory of [undefined, 'AAE=', [], ['0x1'], [[]], [[1, 'x']], {}, [null]]) {
    expect([readIqPoints(memory), readTraces(memory)]).toEqual([undefined, undefined])
  }
})

test('the range of values ignores what is no number', () => {
  expect(rangeOf([Float64Array.of(3, Number.NaN), Float64Array.of(-1)])).toEqual([-1, 3])
  expect(rangeOf([])).toEqual([0, 1])
})
