import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../../../src/base/index.ts'
import { openCertificateStore } from '../../../src/server/tls/certificate-store.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { skips, whyNot } from '../../support/faults/prerequisites.ts'
import { mountSmallDisk } from '../../support/faults/small-disk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const isSkipped = skips('a renewal on a full disk', whyNot('mount'))

const filesIn = (path: string) => ({
  caCert: join(path, 'ca.pem'),
  caKey: join(path, 'ca.key'),
  cert: join(path, 'cert.pem'),
  key: join(path, 'key.pem'),
})

test.skipIf(isSkipped)(
  'a certificate that is due but cannot be stored is served on, and renewed with space',
  async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'disk')
    await using disk = await mountSmallDisk(path, 1)
    const files = filesIn(path)
    const lines: string[] = []
    const log = createLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) })
    const clock = new FakeClock()
    const open = (domain: string) => openCertificateStore({ files, ipAddr: '192.0.2.7', domain, clock, log })
    const { material } = await open('')
    const stored = readFileSync(files.cert, 'utf8')
    disk.fill()
    const full = await open('svc.example.org')
    expect(full.material).toEqual(material)
    expect(readFileSync(files.cert, 'utf8')).toBe(stored)
    expect(lines.at(-1)).toContain('server certificate not renewed')
    expect(lines.at(-1)).toContain('free some space')
    disk.free()
    expect(await full.renewIfDue()).toBe(true)
    expect(full.material.certPem).not.toBe(material.certPem)
  },
)

test.skipIf(isSkipped)('without any certificate a full disk is refused', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'disk')
  await using disk = await mountSmallDisk(path, 1)
  disk.fill()
  const files = filesIn(path)
  const log = createLog({ level: 'debug', format: 'json', write: () => undefined })
  const opened = openCertificateStore({ files, ipAddr: '192.0.2.7', domain: '', clock: new FakeClock(), log })
  await expect(opened).rejects.toMatchObject({ code: 'storage_full' })
})
