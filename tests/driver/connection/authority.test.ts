import { expect, test } from 'bun:test'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { obtainAuthority } from '../../../src/driver/connection/authority.ts'
import { fingerprintOf } from '../../../src/protocol/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { makeTestCertificates } from '../../support/sockets/certificates.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { recordedLog } from '../support/logs.ts'
import { openTestServer } from '../support/test-server.ts'

const certificates = await makeTestCertificates()
const pin = fingerprintOf(certificates.caPem)
const signal = new AbortController().signal

async function open(options: { https?: boolean } = {}) {
  const folder = temporaryFolder()
  const server = await openTestServer({ certificates, ...options })
  const caFile = join(folder.path, 'deep/er/svc.ca.pem')
  const { log, lines } = recordedLog()
  return {
    server,
    caFile,
    lines,
    obtain: () => obtainAuthority({ svcAddr: server.url, caFile, pin, clock: new FakeClock(), log, signal }),
    async [Symbol.asyncDispose]() {
      await server.close()
      folder[Symbol.dispose]()
    },
  }
}

test.each([false, true])(
  'obtainAuthority() downloads, checks and saves the CA (https: %p)',
  async (https) => {
    await using at = await open({ https })
    expect(await at.obtain()).toBe(certificates.caPem)
    expect(await readFile(at.caFile, 'utf8')).toBe(certificates.caPem)
    expect((await stat(at.caFile)).mode & 0o777).toBe(0o644)
    expect(await readdir(join(at.caFile, '..'))).toEqual(['svc.ca.pem'])
    expect(await at.obtain()).toBe(certificates.caPem)
    expect(at.server.requests).toEqual(['GET /api/pub/root-ca.pem'])
  },
)

test.each([
  ['a foreign CA', certificates.foreign.caPem],
  ['a leaf certificate', certificates.certPem],
  ['no certificate', 'hello'],
])('obtainAuthority() replaces %s in the file', async (_, saved) => {
  await using at = await open()
  await mkdir(join(at.caFile, '..'), { recursive: true })
  await writeFile(at.caFile, saved)
  expect(await at.obtain()).toBe(certificates.caPem)
  expect(await readFile(at.caFile, 'utf8')).toBe(certificates.caPem)
  expect(at.lines).toMatchObject([{ level: 'warn', file: at.caFile }])
})

test.each([
  [
    'another CA',
    certificates.foreign.caPem,
    `a root CA with fingerprint ${fingerprintOf(certificates.foreign.caPem)}`,
  ],
  ['a leaf certificate', certificates.certPem, 'no readable root CA'],
  ['two certificates', certificates.caPem + certificates.foreign.caPem, 'no readable root CA'],
  ['a page', '<html>', 'no readable root CA'],
])('obtainAuthority() refuses a server that has %s, and saves nothing', async (_, served, described) => {
  await using at = await open()
  at.server.caPem = served
  await expect(at.obtain()).rejects.toThrow(
    `the server at ${at.server.url} has ${described}, but --ca-fingerprint pins ${pin}; the token was not sent`,
  )
  await expect(stat(at.caFile)).rejects.toThrow('ENOENT')
})

test('obtainAuthority() continues with a CA that cannot be saved', async () => {
  await using at = await open()
  await mkdir(at.caFile, { recursive: true })
  expect(await at.obtain()).toBe(certificates.caPem)
  expect(at.lines.at(-1)).toMatchObject({ level: 'warn', message: 'the CA certificate could not be saved' })
})
