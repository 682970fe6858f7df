import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { type CertifiedKey, isPair } from '../../../src/server/tls/certificate.ts'
import { openCertificateStore } from '../../../src/server/tls/certificate-store.ts'
import { createRoot } from '../../../src/server/tls/issue.ts'
import { type PairFiles, recoverPair, writePair } from '../../../src/server/tls/pair-files.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

let folder: TemporaryFolder
let files: PairFiles
let older: CertifiedKey
let newer: CertifiedKey

beforeAll(async () => {
  older = await createRoot(Date.now())
  newer = await createRoot(Date.now())
})
beforeEach(() => {
  folder = temporaryFolder()
  files = { cert: join(folder.path, 'cert.pem'), key: join(folder.path, 'key.pem') }
})
afterEach(() => folder[Symbol.dispose]())

function onDisk(): CertifiedKey {
  return { certPem: readFileSync(files.cert, 'utf8'), keyPem: readFileSync(files.key, 'utf8') }
}

describe('writePair()', () => {
  test('replaces both files and leaves nothing else', async () => {
    await writePair(files, older)
    await writePair(files, newer)
    expect(onDisk()).toEqual(newer)
    expect(readdirSync(folder.path).sort()).toEqual(['cert.pem', 'key.pem'])
  })

  test('leaves the old key in place when the certificate cannot be replaced', async () => {
    writeFileSync(files.key, older.keyPem, { mode: 0o600 })
    mkdirSync(files.cert)
    await expect(writePair(files, newer)).rejects.toThrow(/Cannot write .*cert\.pem/)
    expect(readFileSync(files.key, 'utf8')).toBe(older.keyPem)
  })

  test('sets mode 0600 on the key regardless of the previous mode', async () => {
    writeFileSync(files.key, 'old', { mode: 0o666 })
    await writePair(files, older)
    expect(statSync(files.key).mode & 0o777).toBe(0o600)
  })
})

describe('recoverPair()', () => {
  test.each([
    ['before the new key was complete', { [`key.pem.${'0'.repeat(16)}.tmp`]: '-----BEG' }, 'older'],
    ['before the certificate', { 'key.pem.next': 'newer.keyPem' }, 'older'],
    [
      'inside the certificate',
      { 'key.pem.next': 'newer.keyPem', [`cert.pem.${'f'.repeat(16)}.tmp`]: '-----BEG' },
      'older',
    ],
    ['after the certificate', { 'key.pem.next': 'newer.keyPem', 'cert.pem': 'newer.certPem' }, 'newer'],
  ])('restores one complete pair when the process ended %s', async (_, left, expected) => {
    await writePair(files, older)
    for (const [name, content] of Object.entries(left)) {
      const text = { 'newer.keyPem': newer.keyPem, 'newer.certPem': newer.certPem }[content] ?? content
      writeFileSync(join(folder.path, name), text, { mode: 0o600 })
    }
    await recoverPair(files)
    expect(onDisk()).toEqual(expected === 'older' ? older : newer)
    expect(readdirSync(folder.path).sort()).toEqual(['cert.pem', 'key.pem'])
    await recoverPair(files)
    expect(onDisk()).toEqual(expected === 'older' ? older : newer)
  })

  test('removes the key of a first start without a certificate', async () => {
    writeFileSync(join(folder.path, 'key.pem.next'), newer.keyPem, { mode: 0o600 })
    await recoverPair(files)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('does not touch other files', async () => {
    const others = ['key.pem.bak', 'cert.pem.0123.tmp', `other.${'0'.repeat(16)}.tmp`]
    for (const name of others) writeFileSync(join(folder.path, name), 'x')
    await recoverPair(files)
    expect(readdirSync(folder.path).sort()).toEqual([...others].sort())
  })
})

test('SIGKILL at any moment of the first start or a renewal leaves a complete root and certificate', async () => {
  const four = {
    caCert: join(folder.path, 'ca.pem'),
    caKey: join(folder.path, 'ca.key'),
    cert: files.cert,
    key: files.key,
  }
  const source = join(import.meta.dir, '../../../src')
  // Renews in an endless loop: the clock jumps a week each time. "r" reports that the imports have finished.
  const program = `
    import { silentLog } from '${source}/base/index.ts'
    import { FakeClock } from '${join(import.meta.dir, '../../support/fake-clock.ts')}'
    import { openCertificateStore } from '${source}/server/tls/certificate-store.ts'
    const clock = new FakeClock()
    process.stdout.write('r')
    const store = await openCertificateStore({ files: ${JSON.stringify(four)}, ipAddr: '192.0.2.7', domain: '', clock, log: silentLog })
    for (;;) {
      clock.jump(6 * 86_400_000)
      await store.renewIfDue()
      clock.jump(-6 * 86_400_000)
      await store.renewIfDue()
    }`
  const isInProgress = () => readdirSync(folder.path).some((name) => /\.(next|tmp)$/.test(name))
  let seen: string | undefined
  let interrupted = 0
  for (let round = 0; round < 8 || interrupted === 0; round++) {
    const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
    const reader = child.stdout.getReader()
    await reader.read()
    // Some kills are at random, from the first write of the root on; some as soon as a replacement is in
    // progress.
    if (round % 2 === 0) await Bun.sleep((round % 8) * 3)
    else for (const end = performance.now() + 30_000; performance.now() < end && !isInProgress(); );
    child.kill('SIGKILL')
    await child.exited
    if (isInProgress()) interrupted += 1
    for (const [cert, key] of [
      [four.caCert, four.caKey],
      [four.cert, four.key],
    ] as const) {
      const pair = { cert, key }
      await recoverPair(pair)
      expect(existsSync(cert)).toBe(existsSync(key))
      if (!existsSync(cert)) continue
      expect(isPair({ certPem: readFileSync(cert, 'utf8'), keyPem: readFileSync(key, 'utf8') })).toBe(true)
    }
    const clock = new FakeClock()
    const { material } = await openCertificateStore({
      files: four,
      ipAddr: '192.0.2.7',
      domain: '',
      clock,
      log: silentLog,
    })
    seen ??= material.caFingerprint
    expect(material.caFingerprint).toBe(seen)
  }
}, 180_000)
