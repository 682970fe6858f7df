import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../../../src/base/index.ts'
import { openCertificateStore } from '../../../src/server/tls/certificate-store.ts'
import { createRoot, issueLeaf } from '../../../src/server/tls/issue.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

const DAY = 24 * 3_600_000
const IP = '192.0.2.7'

let folder: TemporaryFolder
const file = (name: string) => join(folder.path, name)

beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

/** The certificates that a server finds at this time, and what it logs of them. */
async function openAt(now: number) {
  const lines: string[] = []
  const store = await openCertificateStore({
    files: { caCert: file('ca.pem'), caKey: file('ca.key'), cert: file('cert.pem'), key: file('key.pem') },
    ...{ ipAddr: IP, domain: '' },
    clock: new FakeClock(now),
    log: createLog({ format: 'json', write: (line) => lines.push(line) }),
  })
  return { end: store.material.caNotAfter, log: lines.join('\n') }
}

test('the end of the root CA is logged 90 days before', async () => {
  const { end } = await openAt(new FakeClock().now())
  expect((await openAt(end - 91 * DAY)).log).not.toContain('90 days')
  const late = await openAt(end - 89 * DAY)
  expect(late.log).toContain('the root CA expires within 90 days: replace it')
  expect(late.end).toBe(end)
})

test("the end of a site's own CA is logged 90 days before", async () => {
  const now = new FakeClock().now()
  const life = (await openAt(now)).end - now
  const root = await createRoot(now - life + 89 * DAY)
  const names = { ips: [IP], hosts: [] }
  const { certPem, keyPem } = await issueLeaf({ root, rootKeyFile: 'other.key', names, now })
  writeFileSync(file('cert.pem'), `${certPem}${root.certPem}`)
  writeFileSync(file('key.pem'), keyPem.slice(keyPem.indexOf('-----BEGIN')), { mode: 0o600 })
  const { end, log } = await openAt(now)
  expect(log).toContain('certificate of the CA that has signed the server certificate expires within 90 days')
  expect(Math.round((end - now) / DAY)).toBe(89)
})
