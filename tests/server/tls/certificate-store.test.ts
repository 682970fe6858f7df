import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, createLog, silentLog } from '../../../src/base/index.ts'
import { parseChain } from '../../../src/server/tls/certificate.ts'
import {
  openCertificateStore,
  type TlsFiles,
  type TlsMaterial,
} from '../../../src/server/tls/certificate-store.ts'
import { createRoot, issueLeaf } from '../../../src/server/tls/issue.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const OWN = '-----BEGIN'

let folder: TemporaryFolder
let files: TlsFiles
let clock: FakeClock

beforeEach(() => {
  folder = temporaryFolder()
  files = {
    caCert: join(folder.path, '.svc.ca.pem'),
    caKey: join(folder.path, '.svc.ca.key'),
    cert: join(folder.path, '.svc.cert.pem'),
    key: join(folder.path, '.svc.key'),
  }
  clock = new FakeClock()
})

afterEach(() => folder[Symbol.dispose]())

function open(settings: { ipAddr?: string; domain?: string } = {}) {
  return openCertificateStore({ files, ipAddr: '192.0.2.7', domain: '', clock, log: silentLog, ...settings })
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${String(error)}`)
  expect(error.code).toBe('invalid')
  return error.message
}

const modeOf = (path: string) => statSync(path).mode & 0o777

function snapshot(): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder.path).map((name) => [name, readFileSync(join(folder.path, name), 'utf8')]),
  )
}

/** A certificate of an authority unknown to the server, as installed by an administrator. */
async function putOwnCertificate(names: { ips: string[]; hosts: string[] }, now = clock.now()) {
  const root = await createRoot(now)
  const leaf = await issueLeaf({ root, rootKeyFile: 'other.key', names, now })
  writeFileSync(files.cert, leaf.certPem)
  writeFileSync(files.key, leaf.keyPem.slice(leaf.keyPem.indexOf(OWN)), { mode: 0o600 })
  return { root, leaf }
}

describe('openCertificateStore() with its own authority', () => {
  test('creates root and certificate at the first start, keys with mode 0600, and no other file', async () => {
    const { material } = await open()
    expect(readdirSync(folder.path).sort()).toEqual([
      '.svc.ca.key',
      '.svc.ca.pem',
      '.svc.cert.pem',
      '.svc.key',
    ])
    expect([modeOf(files.caKey), modeOf(files.key)]).toEqual([0o600, 0o600])
    expect(material.caPem).toBe(readFileSync(files.caCert, 'utf8'))
    expect(material.caFingerprint).toBe(
      new X509Certificate(material.caPem).fingerprint256.replaceAll(':', '').toLowerCase(),
    )
    expect(material.notAfter).toBe(clock.now() + 7 * DAY)
    expect(material.keyPem.startsWith(OWN)).toBe(true)
  })

  test('creates missing folders, closed to other users', async () => {
    files = { ...files, caKey: join(folder.path, 'deep/keys/ca.key') }
    await open()
    expect(modeOf(join(folder.path, 'deep/keys'))).toBe(0o700)
  })

  test('serves the same files again after a restart', async () => {
    const first = await open()
    const before = snapshot()
    await clock.advance(DAY)
    const second = await open()
    expect(second.material).toEqual(first.material)
    expect(snapshot()).toEqual(before)
  })

  test.each([
    ['another --ip-addr', { ipAddr: '2001:db8::7' }],
    ['a --domain', { domain: 'QC.example.org' }],
  ])('issues a new certificate for %s and keeps the root', async (_, settings) => {
    const first = await open()
    const second = await open(settings)
    expect(second.material.caPem).toBe(first.material.caPem)
    expect(second.material.certPem).not.toBe(first.material.certPem)
    expect((await open(settings)).material).toEqual(second.material)
  })

  test.each([
    ['certificate missing', () => rmSync(files.cert)],
    ['key missing', () => rmSync(files.key)],
    ['both missing', () => [files.cert, files.key].map((path) => rmSync(path))],
    ['certificate damaged', () => writeFileSync(files.cert, 'not a certificate')],
    ['key damaged', () => writeFileSync(files.key, readFileSync(files.key, 'utf8').slice(0, 150))],
    ['key emptied', () => writeFileSync(files.key, '')],
    ['expired', () => clock.jump(8 * DAY)],
    [
      'issued by a clock two hours ahead',
      async () => {
        rmSync(files.cert)
        const clockAhead = new FakeClock(clock.now() + 2 * HOUR)
        await openCertificateStore({
          files,
          ipAddr: '192.0.2.7',
          domain: '',
          clock: clockAhead,
          log: silentLog,
        })
      },
    ],
  ])('replaces its own certificate: %s', async (_, spoil) => {
    const first = await open()
    await spoil()
    const second = await open()
    expect(second.material.caPem).toBe(first.material.caPem)
    const leaf = new X509Certificate(second.material.certPem)
    expect(leaf.checkIP('192.0.2.7')).toBe('192.0.2.7')
    expect(leaf.validFromDate.getTime()).toBeLessThanOrEqual(clock.now())
    expect(second.material.notAfter).toBeGreaterThan(clock.now() + 6 * DAY)
    expect((await open()).material).toEqual(second.material)
  })

  test('replaces the certificate of an earlier root after both root files were removed', async () => {
    const first = await open()
    for (const path of [files.caCert, files.caKey]) rmSync(path)
    const second = await open()
    expect(second.material.caFingerprint).not.toBe(first.material.caFingerprint)
    const [leaf] = parseChain(second.material.certPem)
    expect(leaf?.verify(new X509Certificate(second.material.caPem).publicKey)).toBe(true)
  })

  test.each([
    ['caKey', '0640'],
    ['key', '0604'],
    ['caKey', '0620'],
    ['key', '0644'],
  ] as const)('refuses %s with mode %s and names the command that fixes it', async (name, mode) => {
    await open()
    chmodSync(files[name], Number.parseInt(mode, 8))
    const message = await refusal(open())
    expect(message).toContain(`mode ${mode}`)
    expect(message).toContain(`chmod 600 ${files[name]}`)
    chmodSync(files[name], 0o600)
    await open()
  })

  test('refuses a wrong --ip-addr before touching any file', async () => {
    expect(await refusal(open({ ipAddr: 'qc.example.org' }))).toContain('--ip-addr "qc.example.org"')
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('names file and remedy when a path cannot be read or written', async () => {
    writeFileSync(join(folder.path, 'plain'), '')
    const good = files
    files = { ...good, caKey: join(folder.path, 'plain/ca.key') }
    expect(await refusal(open())).toMatch(/Cannot read .*plain\/ca\.key.*this user can read/)
    // No process, not even of root, can create a folder there.
    files = { ...good, caKey: '/proc/svc/ca.key' }
    await expect(open()).rejects.toThrow(/Cannot write .*ca\.key.*folder writable/)
    expect(existsSync(files.caCert)).toBe(false)
  })
})

describe('openCertificateStore() with a root installed by the administrator', () => {
  test.each([
    ['the certificate missing', () => rmSync(files.caCert), '.svc.ca.pem is missing'],
    [
      'another key',
      async () => writeFileSync(files.caKey, (await createRoot(clock.now())).keyPem),
      '.svc.ca.key',
    ],
    ['a damaged key', () => writeFileSync(files.caKey, 'x'), '.svc.ca.key is damaged'],
    ['a damaged certificate', () => writeFileSync(files.caCert, 'x'), '.svc.ca.pem cannot be read'],
    ['an expired root', () => clock.jump(11 * 365 * DAY), '.svc.ca.pem expired at'],
    ['a clock far behind', () => clock.jump(-2 * HOUR), 'correct the clock'],
    [
      'two certificates',
      () => writeFileSync(files.caCert, readFileSync(files.caCert, 'utf8').repeat(2)),
      'contains 2 certificates',
    ],
    ['a leaf in its place', () => writeFileSync(files.caCert, readFileSync(files.cert)), 'CA:TRUE'],
  ])('refuses %s and leaves the files alone', async (_, spoil, expected) => {
    await open()
    await spoil()
    const before = snapshot()
    expect(await refusal(open())).toContain(expected)
    expect(snapshot()).toEqual(before)
  })

  test('works without its key with a valid certificate, warns and does not renew', async () => {
    const first = await open()
    rmSync(files.caKey)
    await clock.advance(6 * DAY)
    const lines: string[] = []
    const log = createLog({ format: 'json', write: (line) => lines.push(line) })
    const store = await openCertificateStore({ files, ipAddr: '192.0.2.7', domain: '', clock, log })
    expect(store.material).toEqual(first.material)
    expect(lines.join('\n')).toContain('the private key of the root CA is missing')
    expect(lines.join('\n')).toContain('expires within 14 days')
    expect(await store.renewIfDue()).toBe(false)
    expect(lines.length).toBe(2)
    await clock.advance(2 * DAY)
    expect(await refusal(store.renewIfDue())).toContain('.svc.cert.pem expired at')
    expect(existsSync(files.caKey)).toBe(false)
  })

  test('never reveals a private key contained in a certificate file', async () => {
    const first = await open()
    writeFileSync(files.caCert, `${readFileSync(files.caKey, 'utf8')}${first.material.caPem}`)
    writeFileSync(files.cert, `${readFileSync(files.key, 'utf8')}${first.material.certPem}`)
    const second = await open()
    expect(second.material).toEqual(first.material)
  })

  test('refuses to start without its key and without a certificate', async () => {
    await open()
    for (const path of [files.caKey, files.cert, files.key]) rmSync(path)
    expect(await refusal(open())).toContain('the private key of the root CA')
  })
})

describe('openCertificateStore() with a certificate installed by the administrator', () => {
  test('keeps it byte for byte, also shortly before its expiry, and warns that drivers refuse it', async () => {
    const { leaf } = await putOwnCertificate({ ips: ['192.0.2.7'], hosts: [] })
    await clock.advance(6.9 * DAY)
    const before = snapshot()
    const lines: string[] = []
    const log = createLog({ format: 'json', write: (line) => lines.push(line) })
    const { material } = await openCertificateStore({ files, ipAddr: '192.0.2.7', domain: '', clock, log })
    expect(material.certPem).toBe(leaf.certPem)
    expect(snapshot()).toMatchObject(before)
    expect(lines.join('\n')).toContain('drivers will refuse it')
  })

  test('keeps it without a warning when its issuer is the root CA file', async () => {
    const { root } = await putOwnCertificate({ ips: ['192.0.2.7'], hosts: [] })
    writeFileSync(files.caCert, root.certPem)
    writeFileSync(files.caKey, root.keyPem, { mode: 0o600 })
    const lines: string[] = []
    await openCertificateStore({
      files,
      ipAddr: '192.0.2.7',
      domain: '',
      clock,
      log: createLog({ format: 'json', write: (line) => lines.push(line) }),
    })
    expect(lines.join('\n')).not.toContain('drivers')
  })

  test('accepts one for the domain only', async () => {
    await putOwnCertificate({ ips: [], hosts: ['qc.example.org'] })
    const before = snapshot()
    await open({ domain: 'qc.example.org' })
    expect(snapshot()).toMatchObject(before)
  })

  test.each([
    [
      'that has expired',
      async () => putOwnCertificate({ ips: ['192.0.2.7'], hosts: [] }, clock.now() - 8 * DAY),
      'expired at',
    ],
    [
      'for other names',
      async () => putOwnCertificate({ ips: ['192.0.2.9'], hosts: [] }),
      'neither the address',
    ],
    [
      'with the key of another',
      async () => {
        await putOwnCertificate({ ips: ['192.0.2.7'], hosts: [] })
        const { keyPem } = await createRoot(clock.now())
        writeFileSync(files.key, keyPem.slice(keyPem.indexOf(OWN)))
      },
      'does not belong to the private key',
    ],
    [
      'next to a certificate created by the server',
      async () => {
        await open()
        const { keyPem } = await createRoot(clock.now())
        writeFileSync(files.key, keyPem.slice(keyPem.indexOf(OWN)))
      },
      'does not belong to the private key',
    ],
    [
      'without certificate',
      async () => {
        await putOwnCertificate({ ips: ['192.0.2.7'], hosts: [] })
        rmSync(files.cert)
      },
      '.svc.cert.pem is missing',
    ],
  ])('refuses one %s and overwrites nothing', async (_, put, expected) => {
    await put()
    const before = snapshot()
    const message = await refusal(open())
    expect(message).toContain(expected)
    expect(message).toContain(`remove ${files.cert} and ${files.key}`)
    expect(snapshot()).toMatchObject(before)
  })
})

describe('renewIfDue()', () => {
  test('renews after two thirds of the lifetime, notifies the listeners and replaces key and certificate', async () => {
    const store = await open()
    const first = store.material
    const notified: TlsMaterial[] = []
    const end = store.onRenew((material) => notified.push(material))
    await clock.advance(4.6 * DAY)
    expect(await store.renewIfDue()).toBe(false)
    await clock.advance(0.1 * DAY)
    expect(await Promise.all([store.renewIfDue(), store.renewIfDue()])).toEqual([true, true])
    expect(notified).toEqual([store.material])
    expect(store.material.keyPem).not.toBe(first.keyPem)
    expect(store.material.caPem).toBe(first.caPem)
    expect(store.material.notAfter).toBe(clock.now() + 7 * DAY)
    expect(readFileSync(files.cert, 'utf8')).toBe(store.material.certPem)
    end()
    await clock.advance(5 * DAY)
    expect(await store.renewIfDue()).toBe(true)
    expect(notified.length).toBe(1)
  })

  test('renews for ten years of hourly checks without a gap, and never beyond the root', async () => {
    const store = await open()
    const rootEnd = new X509Certificate(store.material.caPem).validToDate.getTime()
    for (const at of [0.5, 1, 5, 9.9].map((years) => clock.now() + years * 365 * DAY)) {
      clock.jump(at - clock.now())
      expect(await store.renewIfDue()).toBe(true)
      expect(store.material.notAfter).toBeGreaterThan(clock.now())
    }
    clock.jump(rootEnd - DAY - clock.now())
    await store.renewIfDue()
    expect(store.material.notAfter).toBe(rootEnd)
  })

  test('loads a certificate that the administrator has replaced while the server is running', async () => {
    await putOwnCertificate({ ips: ['192.0.2.7'], hosts: [] })
    const store = await open()
    const { leaf } = await putOwnCertificate({ ips: ['192.0.2.7'], hosts: [] })
    expect(await store.renewIfDue()).toBe(true)
    expect(store.material.certPem).toBe(leaf.certPem)
  })

  test('keeps the old material when the files become invalid, and notifies other listeners when one throws', async () => {
    const store = await open()
    const first = store.material
    const notified: string[] = []
    store.onRenew(() => {
      throw new Error('port is closed')
    })
    store.onRenew(() => notified.push('second'))
    chmodSync(files.key, 0o644)
    expect(await refusal(store.renewIfDue())).toContain('chmod 600')
    expect(store.material).toBe(first)
    chmodSync(files.key, 0o600)
    rmSync(files.cert)
    expect(await store.renewIfDue()).toBe(true)
    expect(notified).toEqual(['second'])
  })

  test('refuses a root that was replaced or removed while the server is running', async () => {
    const store = await open()
    const other = await createRoot(clock.now())
    writeFileSync(files.caCert, other.certPem)
    writeFileSync(files.caKey, other.keyPem)
    expect(await refusal(store.renewIfDue())).toContain('restart the server')
    for (const path of [files.caCert, files.caKey]) rmSync(path)
    expect(await refusal(store.renewIfDue())).toContain('.svc.ca.pem is missing')
    expect(existsSync(files.caCert)).toBe(false)
  })
})
