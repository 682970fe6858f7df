import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as tls from 'node:tls'
import fc from 'fast-check'
import { isSignedBy } from '../../../src/protocol/index.ts'
import {
  type CertifiedKey,
  isIssuedByOwnKind,
  isPair,
  namesOf,
  parseChain,
} from '../../../src/server/tls/certificate.ts'
import { createRoot, issueLeaf } from '../../../src/server/tls/issue.ts'
import { canonicalIp, type ServerNames } from '../../../src/server/tls/names.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

const DAY = 86_400_000
const NAMES: ServerNames = { ips: ['127.0.0.1', '::1', '192.0.2.7'], hosts: ['localhost', 'qc.example.org'] }
const openssl = Bun.which('openssl')
const now = Date.now()

let root: CertifiedKey
let leaf: CertifiedKey

function leafOf(names = NAMES, at = now, signer = root): Promise<CertifiedKey> {
  return issueLeaf({ root: signer, rootKeyFile: 'ca.key', names, now: at })
}

beforeAll(async () => {
  root = await createRoot(now - 30 * DAY)
  leaf = await leafOf()
})

/** Connects like a driver; resolves to the protocol, or to the code of the refusal. */
async function connect(served: CertifiedKey, client: tls.ConnectionOptions): Promise<string> {
  const server = tls.createServer({ key: served.keyPem, cert: served.certPem, minVersion: 'TLSv1.3' })
  server.on('tlsClientError', (_, socket) => socket.destroy())
  const host = client.host ?? '127.0.0.1'
  await new Promise<void>((resolve) => server.listen(0, host === 'localhost' ? '127.0.0.1' : host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  try {
    return await new Promise((resolve) => {
      const socket = tls.connect({ ca: root.certPem, servername: '', ...client, host, port: address.port })
      socket.once('secureConnect', () => {
        resolve(socket.authorized ? String(socket.getProtocol()) : 'unauthorized')
        socket.destroy()
      })
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
  } finally {
    server.close()
  }
}

describe('a TLS client that trusts only the root', () => {
  test.each([
    ['127.0.0.1 by its address', { host: '127.0.0.1' }],
    ['::1 by its address', { host: '::1' }],
    ['localhost by its name', { host: 'localhost', servername: 'localhost' }],
    ['the domain', { servername: 'qc.example.org' }],
  ])('accepts %s', async (_, client) => {
    expect(await connect(leaf, client)).toBe('TLSv1.3')
  })

  test('refuses an address that the certificate does not contain', async () => {
    const other = await leafOf({ ips: ['192.0.2.9'], hosts: ['localhost'] })
    expect(await connect(other, {})).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test('refuses a host name that the certificate does not contain', async () => {
    expect(await connect(leaf, { servername: 'other.example.org' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test('refuses an expired certificate', async () => {
    expect(await connect(await leafOf(NAMES, now - 8 * DAY), {})).toBe('CERT_HAS_EXPIRED')
  })

  test('refuses one that is not valid yet, but not for a clock an hour behind', async () => {
    expect(await connect(await leafOf(NAMES, now + 2 * 3_600_000), {})).toBe('CERT_NOT_YET_VALID')
    expect(await connect(await leafOf(NAMES, now + 3_500_000), {})).toBe('TLSv1.3')
  })

  test('refuses the certificate of another authority', async () => {
    const foreign = await createRoot(now)
    expect(await connect(await leafOf(NAMES, now, foreign), {})).toMatch(/UNABLE_TO_(VERIFY|GET)/)
    expect(await connect(leaf, { ca: foreign.certPem })).toMatch(/UNABLE_TO_(VERIFY|GET)/)
  })

  test('refuses a certificate signed by a leaf', async () => {
    const chained = await leafOf(NAMES, now, leaf)
    const served = { keyPem: chained.keyPem, certPem: chained.certPem + leaf.certPem }
    expect(await connect(served, {})).toMatch(/UNABLE_TO_VERIFY|INVALID_CA/)
  })
})

describe('createRoot() and issueLeaf()', () => {
  test('create positive and unique serial numbers', async () => {
    const serials = await Promise.all(
      Array.from({ length: 20 }, async () => new X509Certificate((await leafOf()).certPem).serialNumber),
    )
    expect(new Set(serials).size).toBe(20)
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/)
  })

  test('are valid for 10 years and 7 days, starting an hour earlier', async () => {
    const at = Date.UTC(2045, 1, 28, 12, 30, 15, 999)
    const late = await createRoot(at)
    const root = new X509Certificate(late.certPem)
    expect(root.validFromDate.toISOString()).toBe('2045-02-28T11:30:15.000Z')
    expect(root.validToDate.toISOString()).toBe('2055-02-28T12:30:15.000Z')
    const leaf = new X509Certificate((await leafOf(NAMES, at, late)).certPem)
    expect(leaf.validFromDate.toISOString()).toBe('2045-02-28T11:30:15.000Z')
    expect(leaf.validToDate.toISOString()).toBe('2045-03-07T12:30:15.000Z')
  })

  test('mark their keys in a form that PEM readers accept', () => {
    expect(leaf.keyPem).toStartWith('# Made by svc')
    expect(isPair(leaf)).toBe(true)
    expect(isPair({ certPem: root.certPem, keyPem: leaf.keyPem })).toBe(false)
    expect(isPair({ certPem: root.certPem, keyPem: 'x' })).toBe(false)
  })

  test('encode IPv4 and IPv6 addresses so that both readers see the same bytes', async () => {
    const ipv6 = fc.ipV6().map((text) => canonicalIp(text) ?? '')
    await fc.assert(
      fc.asyncProperty(fc.ipV4(), ipv6, async (first, second) => {
        const names = { ips: [first, second], hosts: ['localhost'] }
        const certificate = new X509Certificate((await leafOf(names)).certPem)
        expect(namesOf(certificate)).toEqual(names)
        expect(certificate.checkIP(first)).toBe(first)
        expect(certificate.checkIP(second)).toBe(second)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['ECDSA P-384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' }), true],
    ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 }), true],
    ['Ed25519', () => generateKeyPairSync('ed25519'), false],
  ])('sign with an installed root key of type %s, or refuse it', async (_, generate, works) => {
    const { privateKey } = generate()
    const keyPem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    if (!works) {
      await expect(leafOf(NAMES, now, { certPem: root.certPem, keyPem })).rejects.toThrow(
        /ca\.key.*use ECDSA/,
      )
      return
    }
    if (!openssl) return console.warn('skipped: openssl is absent')
    const folder = temporaryFolder()
    try {
      writeFileSync(join(folder.path, 'ca.key'), keyPem)
      const created = Bun.spawnSync(
        [openssl, 'req', '-x509', '-key', 'ca.key', '-subj', '/CN=Site CA', '-days', '30', '-out', 'ca.pem'],
        { cwd: folder.path },
      )
      expect(created.exitCode).toBe(0)
      const certPem = await Bun.file(join(folder.path, 'ca.pem')).text()
      const issued = await leafOf(NAMES, now, { certPem, keyPem })
      expect(await connect(issued, { ca: certPem })).toBe('TLSv1.3')
    } finally {
      folder[Symbol.dispose]()
    }
  })
})

describe('recognition', () => {
  test('isSignedBy() checks the signature, not only the name', async () => {
    const [certificate] = parseChain(leaf.certPem)
    const [own] = parseChain(root.certPem)
    const [other] = parseChain((await createRoot(now)).certPem)
    if (!certificate || !own || !other) throw new Error('certificates cannot be read')
    expect(isSignedBy(certificate, own)).toBe(true)
    expect(isSignedBy(certificate, other)).toBe(false)
    const { keyPem } = await createRoot(now)
    const [forged] = parseChain((await leafOf(NAMES, now, { certPem: root.certPem, keyPem })).certPem)
    expect(forged?.issuer).toBe(own.subject)
    expect(forged && isSignedBy(forged, own)).toBe(false)
    expect(isIssuedByOwnKind(certificate)).toBe(true)
  })

  test('parseChain() returns an empty list for a damaged text', () => {
    expect(parseChain('')).toEqual([])
    expect(parseChain('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')).toEqual([])
    expect(parseChain(`note\n${leaf.certPem}\n${root.certPem}`).length).toBe(2)
  })
})

describe.skipIf(!openssl)('openssl (skipped when absent)', () => {
  let folder: TemporaryFolder
  beforeAll(() => {
    folder = temporaryFolder()
    writeFileSync(join(folder.path, 'ca.pem'), root.certPem)
    writeFileSync(join(folder.path, 'leaf.pem'), leaf.certPem)
    writeFileSync(join(folder.path, 'leaf.key'), leaf.keyPem)
  })
  afterAll(() => folder[Symbol.dispose]())

  function run(...args: string[]): string {
    const { stdout, stderr, exitCode } = Bun.spawnSync([openssl ?? '', ...args], { cwd: folder.path })
    return `${stdout}${stderr}exit ${exitCode}`
  }

  test('verifies the chain strictly, for each address and name', () => {
    const strict = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'ca.pem']
    for (const name of [
      ['-verify_ip', '127.0.0.1'],
      ['-verify_ip', '::1'],
      ['-verify_hostname', 'localhost'],
      ['-verify_hostname', 'qc.example.org'],
    ]) {
      expect(run(...strict, ...name, 'leaf.pem')).toBe('leaf.pem: OK\nexit 0')
    }
    expect(run(...strict, '-verify_ip', '192.0.2.8', 'leaf.pem')).toContain('IP address mismatch')
    expect(run('verify', '-x509_strict', '-CAfile', 'ca.pem', 'ca.pem')).toContain('OK')
  })

  test('reads the extensions as intended', () => {
    const text = (file: string) => run('x509', '-in', file, '-noout', '-text').replace(/\s+/g, ' ')
    expect(text('ca.pem')).toContain('X509v3 Basic Constraints: critical CA:TRUE, pathlen:0')
    expect(text('ca.pem')).toContain('X509v3 Key Usage: critical Certificate Sign, CRL Sign')
    expect(text('leaf.pem')).toContain('X509v3 Basic Constraints: critical CA:FALSE')
    expect(text('leaf.pem')).toContain('X509v3 Key Usage: critical Digital Signature')
    expect(text('leaf.pem')).toContain('X509v3 Extended Key Usage: TLS Web Server Authentication')
    const keyId = /Subject Key Identifier: ([0-9A-F:]+)/.exec(text('ca.pem'))?.[1]
    expect(text('leaf.pem')).toContain(`X509v3 Authority Key Identifier: ${keyId ?? 'missing'}`)
    expect(text('leaf.pem')).toContain('ASN1 OID: prime256v1')
  })

  test('reads the private key despite its mark', () => {
    expect(run('pkey', '-in', 'leaf.key', '-noout', '-check')).toContain('Key is valid')
  })
})
