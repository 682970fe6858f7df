import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSignature, readPublicKey } from '../../../src/cli/verify/minisign.ts'
import { runSvc } from '../../support/executable/service.ts'
import { makeSigner } from '../../support/release/signer.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// Made by minisign 0.11: `minisign -G -W`, then `minisign -S -t 'svc 2026.12.0'` of the text below.
const MADE_BY_MINISIGN = {
  key: 'RWTgVhmVgoRHAO1QV3JWDUQX5p4ll0Qvu1hGES6o8bgEnHY5OV0Uh8oh',
  content: 'the list of a release',
  signature: [
    'untrusted comment: signature from minisign secret key',
    'RUTgVhmVgoRHAAAZQSiehlAGA6ulLLei0oXsr7NsQw7cpi36TmT/6pnjXzUBiYuG0C8XDYrezfUrZwgmGsR+OchWOQ5U9kyPXgU=',
    'trusted comment: svc 2026.12.0',
    'xsbr5AS8lwB9O+0Bv1vEWGg9FT+D9C1Uns9ctsWMA8ebNoKBMJi/oCDURC1/s5HJXF08CWgdM9KGanEaALb2Cw==',
    '',
  ].join('\n'),
}

/** A signed release of two files and a program that verifies it. */
function release() {
  const folder = temporaryFolder()
  const signer = makeSigner()
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text)
  mkdirSync(join(folder.path, 'docs'))
  const files = { 'docs/index.html': '<p>Documentation</p>', svc: 'the program' }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const list = Object.entries(files).map(([name, text]) => `${hash(text)}  ${name}\n`)
  const seal = (text: string, by = signer) => {
    write('SHA256SUMS', text)
    write('SHA256SUMS.minisig', by.sign(text, 'svc 2026.12.0'))
  }
  seal(list.join(''))
  const verify = (path = '.', key = signer.key) =>
    runSvc(['verify', path, '--key', key], { cwd: folder.path })
  return { folder, files, list, seal, verify, write, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test('a signature of minisign is checked', () => {
  const { key, content, signature } = MADE_BY_MINISIGN
  const check = (text: string) => checkSignature(Buffer.from(text), { signature, keys: [readPublicKey(key)] })
  expect(check(content)).toMatchObject({ comment: 'svc 2026.12.0', key: { id: '478482951956E0' } })
  expect(() => check(`${content} `)).toThrow('another file')
})

test('each bit of a signature but for its untrusted comment counts', () => {
  const { key, content, signature } = MADE_BY_MINISIGN
  const keys = [readPublicKey(key)]
  const begin = signature.indexOf('\n') + 1
  for (let bit = begin * 8; bit < signature.length * 8; bit += 1) {
    const changed = Buffer.from(signature, 'latin1')
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const text = changed.toString('latin1')
    expect(() => checkSignature(Buffer.from(content), { signature: text, keys })).toThrow(SyntaxError)
  }
})

test('a whole release is verified, and one file of it', async () => {
  using it = release()
  expect(await it.verify()).toMatchObject({
    status: 0,
    out: expect.stringContaining('Files of svc 2026.12.0'),
  })
  expect(await it.verify('svc')).toMatchObject({ status: 0, out: expect.stringMatching(/^svc: OK\n/) })
})

test('a bit that is flipped in any file is noticed, and the file named', async () => {
  using it = release()
  for (const name of [...Object.keys(it.files), 'SHA256SUMS', 'SHA256SUMS.minisig']) {
    const path = join(it.folder.path, name)
    const bytes = readFileSync(path)
    const changed = Buffer.from(bytes)
    changed[bytes.length - 3] = (changed[bytes.length - 3] ?? 0) ^ 1
    writeFileSync(path, changed)
    const { status, err } = await it.verify()
    expect([name, status]).toEqual([name, 1])
    expect(err).toContain(name.replace(/^SHA256SUMS$/, 'SHA256SUMS.minisig'))
    writeFileSync(path, bytes)
  }
  expect((await it.verify()).status).toBe(0)
})

test('missing, added and unlisted files are noticed', async () => {
  using it = release()
  it.write('another', 'not of the release')
  expect(await it.verify()).toMatchObject({ status: 1, err: expect.stringContaining('another: ') })
  rmSync(join(it.folder.path, 'another'))
  it.seal(it.list.slice(0, 1).join(''))
  expect(await it.verify()).toMatchObject({ status: 1, err: expect.stringContaining('does not list it') })
  it.seal(it.list.join(''))
  rmSync(join(it.folder.path, 'docs/index.html'))
  expect(await it.verify()).toMatchObject({ status: 1, err: expect.stringContaining('is missing') })
})

test('another key and a list without signature are refused', async () => {
  using it = release()
  const other = makeSigner()
  expect(await it.verify('.', other.key)).toMatchObject({
    status: 1,
    err: expect.stringContaining('not one of the keys'),
  })
  expect(await it.verify('.', 'no key')).toMatchObject({ status: 2, err: expect.stringContaining('--key') })
  rmSync(join(it.folder.path, 'SHA256SUMS.minisig'))
  expect(await it.verify()).toMatchObject({ status: 1, err: expect.stringContaining('signed release') })
  const { status, err } = await runSvc(['verify', 'svc'], { cwd: it.folder.path })
  expect([status, err]).toEqual([2, expect.stringContaining('--key')])
})
