import { expect, test } from 'bun:test'
import { Socket } from 'node:net'
import { UnreadyPeers } from '../../../../src/protocol/zmtp/listen/unready-peers.ts'

test('the oldest connection of the address with most of them gives way', () => {
  const peers = new UnreadyPeers(3)
  const [driver, first, second, third, other] = Array.from({ length: 5 }, () => new Socket())
  if (!driver || !first || !second || !third || !other) throw new Error('no sockets')
  expect(peers.add(driver, '192.0.2.1')).toBeUndefined()
  expect(peers.add(first, '192.0.2.66')).toBeUndefined()
  expect(peers.add(second, '192.0.2.66')).toBeUndefined()
  // The driver is older, but alone at its address.
  expect(peers.add(third, '192.0.2.66')).toBe(first)
  peers.remove(first)
  peers.remove(second)
  expect(peers.add(other, '192.0.2.2')).toBeUndefined()
})
