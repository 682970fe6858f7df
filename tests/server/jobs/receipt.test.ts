import 'reflect-metadata'
import { describe, expect, test } from 'bun:test'
import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import * as v from 'valibot'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import {
  DOCUMENT_SIGNING,
  type Receipt,
  receipt,
  signReceipt,
  verifyReceipt,
} from '../../../src/protocol/index.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'

const BELL =
  'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'
const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

async function jobOf(server: TestServer, fields: object) {
  const owner = await server.createUser()
  const row = { user_id: owner.id, payload: { circuits: [{ circuit: BELL }] }, ...fields }
  const { id } = await server.db.write('job', (tx) => tx.insert(quantumJobs, row))
  const path = `/api/jobs/${id}`
  const fetchReceipt = async () => {
    const headers = { authorization: owner.token }
    return new Uint8Array(await (await fetch(`${server.url}${path}/receipt`, { headers })).arrayBuffer())
  }
  return { id, owner, path, client: server.as(owner), fetchReceipt }
}

const ENDED = '2026-01-31 09:00:00.000Z'
const COMPLETED = {
  status: 'completed',
  finished_at: ENDED,
  results: { counts: { '00': 52, '11': 48 }, success: true },
} as const

/** What `svc verify` does with the bytes of a receipt, without the question whom it trusts. */
function open(bytes: Uint8Array) {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  return verifyReceipt(v.parse(receipt, JSON.parse(text)))
}

describe('GET /api/jobs/{id}/receipt', () => {
  test('signs the job with the hashes of its programs and results, by the root CA', async () => {
    await using server = await openTestServer()
    const job = await jobOf(server, COMPLETED)
    const { document, root } = open(await job.fetchReceipt())
    const { payload, results, ...shown } = (await job.client.get(job.path)).body as Record<string, unknown>
    expect(document.job).toEqual(shown as typeof document.job)
    expect(document.payload).toEqual(payload)
    expect(document.payload_sha256).toBe(hashOf(payload))
    expect(document.results_sha256).toBe(hashOf(results))
    expect(document.server_version).toBe('2026.1.0-test')
    const fingerprint = root.fingerprint256.replaceAll(':', '').toLowerCase()
    expect(fingerprint).toBe(server.context.tls.material.caFingerprint)
  })

  test('of large programs and results it has only the hashes', async () => {
    await using server = await openTestServer()
    const payload = { circuits: [{ circuit: `// ${'x'.repeat(70_000)}\n${BELL}` }] }
    const results = { counts: { '00': 1 }, memory: Array.from({ length: 400_000 }, (_, at) => `0x${at}`) }
    const job = await jobOf(server, { ...COMPLETED, payload, results })
    const { document } = open(await job.fetchReceipt())
    expect(document.payload).toBeNull()
    expect([document.payload_sha256, document.results_sha256]).toEqual([hashOf(payload), hashOf(results)])
  })

  test('a job without results has no hash of them', async () => {
    await using server = await openTestServer()
    const job = await jobOf(server, { status: 'cancelled', finished_at: ENDED })
    expect(open(await job.fetchReceipt()).document).toMatchObject({
      results_sha256: null,
      job: { status: 'cancelled' },
    })
  })

  test('a job that waits or runs has none yet', async () => {
    await using server = await openTestServer()
    for (const status of ['pending', 'running'] as const) {
      const job = await jobOf(server, { status, attempt: status === 'running' ? 1 : 0 })
      const answer = await job.client.get(`${job.path}/receipt`)
      expect([answer.status, answer.get('code')]).toEqual([409, 'job_not_ended'])
      expect(answer.text('message')).toContain(status)
    }
  })

  test('each changed byte is noticed', async () => {
    await using server = await openTestServer()
    const bytes = await (await jobOf(server, COMPLETED)).fetchReceipt()
    expect(open(bytes).document.format).toBe(1)
    const unnoticed: number[] = []
    for (const [at, byte] of bytes.entries()) {
      // Another bit of each byte, and all positions of base64url are reached by one of the two.
      for (const bit of [1 << (at % 8), 1]) {
        const changed = bytes.with(at, byte ^ bit)
        try {
          open(changed)
          unnoticed.push(at)
        } catch {}
      }
    }
    expect(unnoticed).toEqual([])
  })

  test('the parts of two receipts do not fit together', async () => {
    await using server = await openTestServer()
    const read = (bytes: Uint8Array): Receipt => JSON.parse(Buffer.from(bytes).toString())
    const one = read(await (await jobOf(server, COMPLETED)).fetchReceipt())
    const other = read(await (await jobOf(server, COMPLETED)).fetchReceipt())
    expect(() => verifyReceipt({ ...one, payload: other.payload })).toThrow('is not that of this document')
    expect(() => verifyReceipt({ ...one, signature: other.signature })).toThrow(
      'is not that of this document',
    )
  })
})

describe('the key of receipts', () => {
  test('lies beside the root CA, only for its owner, and is used again after a restart', async () => {
    await using first = await openTestServer()
    const file = (name: string) => join(first.folder, name)
    expect(existsSync(file('.svc.ca.receipts.key'))).toBe(false)
    const job = await jobOf(first, COMPLETED)
    await job.fetchReceipt()
    expect(statSync(file('.svc.ca.receipts.key')).mode & 0o777).toBe(0o600)
    const certificate = readFileSync(file('.svc.ca.receipts.pem'), 'utf8')
    await first.close()
    await using second = await openTestServer({ folder: first.folder })
    await jobOf(second, COMPLETED).then(({ fetchReceipt }) => fetchReceipt())
    expect(readFileSync(file('.svc.ca.receipts.pem'), 'utf8')).toBe(certificate)
  })

  test('without it and without the key of the root there are no receipts, and the log says why', async () => {
    await using server = await openTestServer()
    const job = await jobOf(server, COMPLETED)
    rmSync(join(server.folder, '.svc.ca.key'))
    const answer = await job.client.get(`${job.path}/receipt`)
    expect([answer.status, answer.get('code')]).toEqual([503, 'no_receipt_key'])
    expect(answer.text('message')).not.toContain(server.folder)
  })

  test('a certificate of a TLS server, of the same root, signs no receipts', async () => {
    await using server = await openTestServer()
    const job = await jobOf(server, COMPLETED)
    for (const part of ['key', 'pem']) {
      const from = part === 'key' ? '.svc.key' : '.svc.cert.pem'
      await Bun.write(join(server.folder, `.svc.ca.receipts.${part}`), Bun.file(join(server.folder, from)), {
        mode: 0o600,
      })
    }
    const bytes = await job.fetchReceipt()
    expect(open(bytes).document.job.id).toBe(job.id)
  })

  const GOOD = { name: 'svc receipts', curve: 'P-256', usage: DOCUMENT_SIGNING, isCa: false, rootIsCa: true }

  /** A receipt that is whole in itself, by a key with such a certificate of a root CA. */
  async function receiptBy({ name, curve, usage, isCa, rootIsCa }: typeof GOOD) {
    const of = (namedCurve: string) => ({ name: 'ECDSA', namedCurve, hash: 'SHA-256' })
    const [root, key] = await Promise.all(
      ['P-256', curve].map((each) => crypto.subtle.generateKey(of(each), true, ['sign', 'verify'])),
    )
    if (!root || !key) throw new Error('no keys')
    const made = async (subject: string, publicKey: CryptoKey, extensions: x509.Extension[]) => {
      const signed = { issuer: 'CN=root', signingKey: root.privateKey, signingAlgorithm: of('P-256') }
      const cert = await x509.X509CertificateGenerator.create({ subject, publicKey, extensions, ...signed })
      return new X509Certificate(Buffer.from(cert.rawData))
    }
    const ofRoot = [new x509.BasicConstraintsExtension(rootIsCa, undefined, true)]
    const ofKey = [
      new x509.BasicConstraintsExtension(isCa, undefined, true),
      new x509.ExtendedKeyUsageExtension([usage]),
    ]
    const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', key.privateKey)).toString('base64')
    const document = { format: 1, issued_at: new Date().toISOString(), server_version: 'x' } as const
    const job = { id: 'a', status: 'completed' }
    return signReceipt(
      { ...document, job, payload: null, payload_sha256: null, results_sha256: null },
      {
        keyPem: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
        certificate: await made(`CN=${name}, O=svc`, key.publicKey, ofKey),
        root: await made('CN=root', root.publicKey, ofRoot),
      },
    )
  }

  test('has its name, P-256, the use for documents and no CA flag, below a root CA', async () => {
    expect(verifyReceipt(await receiptBy(GOOD)).document.job.id).toBe('a')
    const others: [Partial<typeof GOOD>, string][] = [
      [{ name: 'documents of the site' }, 'is not one for receipts'],
      [{ name: 'x CN=svc receipts' }, 'is not one for receipts'],
      [{ curve: 'P-384' }, 'is not one for receipts'],
      [{ usage: '1.3.6.1.5.5.7.3.1' }, 'is not one for receipts'],
      [{ isCa: true }, 'is not one for receipts'],
      [{ rootIsCa: false }, 'no root CA'],
    ]
    for (const [changed, message] of others) {
      const made = await receiptBy({ ...GOOD, ...changed })
      expect(() => verifyReceipt(made)).toThrow(message)
    }
  })
})
