import { afterEach, beforeEach, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import * as tls from 'node:tls'
import { silentLog } from '../../../src/base/index.ts'
import { type CertificateStore, openCertificateStore } from '../../../src/server/tls/certificate-store.ts'
import { type HttpsPort, openHttps } from '../../../src/server/tls/https.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const DAY = 86_400_000

let folder: TemporaryFolder
let clock: FakeClock
let store: CertificateStore
let https: HttpsPort
/** Times that listening fails, as it does without a free file descriptor. */
let failures: number
let finishSlow: (() => void) | undefined

beforeEach(async () => {
  folder = temporaryFolder()
  // Five days back: the first certificate is due for renewal, and a real client still accepts it.
  clock = new FakeClock(Date.now() - 5 * DAY)
  const at = (name: string) => join(folder.path, name)
  const files = { caCert: at('ca.pem'), caKey: at('ca.key'), cert: at('cert.pem'), key: at('key') }
  store = await openCertificateStore({ files, ipAddr: '127.0.0.1', domain: '', clock, log: silentLog })
  failures = 0
  https = openHttps({
    certificates: store,
    clock,
    log: silentLog,
    serve(certificate, port) {
      if (failures > 0) {
        failures -= 1
        throw new Error('EADDRINUSE')
      }
      return Bun.serve({
        port,
        hostname: '127.0.0.1',
        tls: certificate,
        async fetch(request) {
          if (new URL(request.url).pathname !== '/slow') return new Response('fine')
          await new Promise<void>((resolve) => {
            finishSlow = resolve
          })
          return new Response('slow')
        },
      })
    },
  })
})
afterEach(async () => {
  await https.stop(true)
  folder[Symbol.dispose]()
})

function get(path: string): Promise<Response> {
  return fetch(`https://127.0.0.1:${https.port}${path}`, {
    tls: { ca: store.material.caPem },
    keepalive: false,
  })
}

/** Serial number of the certificate that a new connection receives. */
function servedSerial(): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: https.port, servername: '', ca: store.material.caPem }
    const socket = tls.connect(options, () => {
      resolve(socket.getPeerCertificate().serialNumber)
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

async function renew(): Promise<void> {
  clock.jump(5 * DAY)
  expect(await store.renewIfDue()).toBe(true)
}

test('openHttps() serves a client that trusts only the root', async () => {
  expect(await (await get('/')).text()).toBe('fine')
  await expect(fetch(`https://127.0.0.1:${https.port}/`)).rejects.toThrow(/certificate|verify/i)
})

test('openHttps() uses the new certificate after a renewal, on the same port, and completes old requests', async () => {
  const slow = get('/slow')
  await until('the slow request to arrive', () => finishSlow !== undefined)
  const before = await servedSerial()
  await renew()
  const serial = new X509Certificate(store.material.certPem).serialNumber
  expect(serial).not.toBe(before)
  expect(await servedSerial()).toBe(serial)
  expect(await (await get('/')).text()).toBe('fine')
  finishSlow?.()
  expect(await (await slow).text()).toBe('slow')
})

test('openHttps() stop() closes the port and ignores later renewals', async () => {
  await https.stop()
  await renew()
  await expect(get('/')).rejects.toThrow()
})

test('openHttps() listens again after it could not at a renewal', async () => {
  const before = await servedSerial()
  failures = 2
  await renew()
  await expect(get('/')).rejects.toThrow()
  for (const _ of [1, 2]) await clock.advance(1_000)
  expect(await (await get('/')).text()).toBe('fine')
  expect(await servedSerial()).not.toBe(before)
})
