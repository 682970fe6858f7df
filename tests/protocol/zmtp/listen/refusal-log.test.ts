import { describe, expect, test } from 'bun:test'
import { createLog } from '../../../../src/base/index.ts'
import { refusalLog } from '../../../../src/protocol/zmtp/listen/refusal-log.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

function openRefusalLog() {
  const lines: Record<string, unknown>[] = []
  const clock = new FakeClock()
  const log = createLog({ format: 'json', write: (line) => lines.push(JSON.parse(line)) })
  return { clock, lines, refuse: refusalLog(log, clock, 10_000) }
}

describe('refusalLog()', () => {
  test('writes one line per address and interval, and counts the omitted refusals', async () => {
    const { clock, lines, refuse } = openRefusalLog()
    for (let count = 0; count < 5; count++) refuse('192.0.2.1', 'wrong user or password')
    refuse('192.0.2.2', 'wrong user or password')
    await clock.advance(9_999)
    refuse('192.0.2.1', 'wrong user or password')
    await clock.advance(1)
    refuse('192.0.2.1', 'not a ZMTP peer')
    expect(lines.map(({ address, reason, suppressed }) => [address, reason, suppressed])).toEqual([
      ['192.0.2.1', 'wrong user or password', undefined],
      ['192.0.2.2', 'wrong user or password', undefined],
      ['192.0.2.1', 'not a ZMTP peer', 5],
    ])
  })

  test('evicts the oldest of more than 1000 addresses', () => {
    const { lines, refuse } = openRefusalLog()
    for (let host = 0; host <= 1_000; host++) refuse(`address ${host}`, 'x')
    refuse('address 1000', 'x')
    expect(lines).toHaveLength(1_001)
    refuse('address 0', 'x')
    expect(lines).toHaveLength(1_002)
  })
})
