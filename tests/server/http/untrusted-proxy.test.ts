import { expect, test } from 'bun:test'
import { proxyWarning } from '../../../src/server/http/untrusted-proxy.ts'
import { recordedLog } from '../../driver/support/logs.ts'

test('proxyWarning() names each address once, of the first ten, and no trusted proxy', () => {
  const { log, lines } = recordedLog()
  const warn = proxyWarning(log)
  const request = (headers: Record<string, string>) => new Request('http://svc.example/', { headers })
  const origin = (address: string, isProxied = false) => ({ address, isProxied, isSecure: false })
  warn(request({}), origin('10.0.0.1'))
  warn(request({ 'x-forwarded-for': '1.2.3.4' }), origin('10.0.0.2', true))
  expect(lines).toEqual([])
  warn(request({ 'x-forwarded-for': '1.2.3.4' }), origin('10.0.0.1'))
  warn(request({ 'x-forwarded-for': '1.2.3.5' }), origin('10.0.0.1'))
  warn(request({ forwarded: 'for=1.2.3.4' }), origin('10.0.0.3'))
  expect(lines.map((line) => [line.level, line])).toMatchObject([
    [
      'warn',
      {
        address: '10.0.0.1',
        header: 'x-forwarded-for',
        remedy: expect.stringContaining('--trusted-proxies'),
      },
    ],
    ['warn', { address: '10.0.0.3', header: 'forwarded' }],
  ])
  for (let host = 10; host < 40; host += 1) warn(request({ forwarded: 'for=x' }), origin(`10.0.0.${host}`))
  expect(lines).toHaveLength(10)
})
