import { expect, test } from 'bun:test'
import * as tls from 'node:tls'
import { freePort } from '../../support/free-port.ts'
import { openTestServer } from '../../support/server/server.ts'

/** The cipher that a client gets; undefined when the handshake fails. */
function cipherOf(port: number, options: tls.ConnectionOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
      resolve(socket.getCipher().name)
      socket.destroy()
    })
    socket.on('error', () => resolve(undefined))
  })
}

test('under TLS 1.2 only ciphers with forward secrecy and authenticated encryption are accepted', async () => {
  const port = freePort()
  await using _ = await openTestServer({ settings: { httpsPort: String(port) } })
  const old = { maxVersion: 'TLSv1.2' } as const
  for (const name of [
    'ECDHE-ECDSA-AES128-SHA',
    'ECDHE-ECDSA-AES256-SHA',
    'ECDHE-RSA-AES128-SHA',
    'AES128-GCM-SHA256',
  ])
    expect([name, await cipherOf(port, { ...old, ciphers: name })]).toEqual([name, undefined])
  const [modern, plain] = [await cipherOf(port, old), await cipherOf(port, {})]
  expect(modern).toMatch(/GCM|CHACHA20/)
  expect(plain).toMatch(/^TLS_/)
})
