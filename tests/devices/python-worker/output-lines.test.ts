import { expect, test } from 'bun:test'
import { OutputLines } from '../../../src/devices/python-worker/output-lines.ts'
import { FakeClock } from '../../support/fake-clock.ts'

function open() {
  const clock = new FakeClock()
  const lines: string[] = []
  const dropped: number[] = []
  const output = new OutputLines({
    clock,
    onLine: (line) => lines.push(line),
    onDropped: (count) => dropped.push(count),
  })
  const print = (text: string) => output.push(new TextEncoder().encode(text))
  return { clock, lines, dropped, output, print }
}

test('OutputLines puts lines together, and cuts them at 4 KiB', () => {
  const { lines, output, print } = open()
  print('one\ntw')
  print('o\n\n  three')
  print('x'.repeat(10_000))
  output.end()
  expect(lines.slice(0, 2)).toEqual(['one', 'two'])
  expect(lines.slice(2).map(({ length }) => length)).toEqual([4_096, 4_096, 1_815])
})

test('OutputLines lets 100 lines a second through and counts the rest', async () => {
  const { clock, lines, dropped, output, print } = open()
  print('line\n'.repeat(250))
  expect([lines.length, dropped]).toEqual([100, []])
  await clock.advance(1_000)
  print('next\n')
  expect([lines.at(-1), dropped]).toEqual(['next', [150]])
  print('last\n'.repeat(120))
  output.end()
  expect(dropped).toEqual([150, 21])
  expect(output.last).toHaveLength(20)
})
