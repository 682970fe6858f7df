import { expect, test } from 'bun:test'
import { clusterAddressOf } from '../../../../src/devices/chip/hardware/cluster-address.ts'

test('clusterAddressOf() reads names and addresses, with and without a port', () => {
  const at = (host: string, port = 5_025) => ({ host, port, moduleBase: 25_000 })
  expect(clusterAddressOf('192.168.0.2')).toEqual(at('192.168.0.2'))
  expect(clusterAddressOf('cluster.lab:15025')).toEqual(at('cluster.lab', 15_025))
  expect(clusterAddressOf('[fe80::1]:5026')).toEqual(at('fe80::1', 5_026))
  expect(clusterAddressOf('127.0.0.2:6000', 6_100)).toEqual({
    host: '127.0.0.2',
    port: 6_000,
    moduleBase: 6_100,
  })
  for (const locator of ['', 'dummy:', 'a b', 'x:0', 'x:65536', 'tcp://x', '-x', 'fe80::1']) {
    expect(clusterAddressOf(locator)).toBeUndefined()
  }
})
