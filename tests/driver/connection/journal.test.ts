import { expect, test } from 'bun:test'
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { Journal } from '../../../src/driver/connection/journal.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const INITIAL_SIZE = 256 * 1024

/** All texts of a journal in a file, and how many records were incomplete. */
async function contentOf(
  path: string,
): Promise<{ texts: [string, string | undefined][]; incomplete: number }> {
  const { journal, incomplete } = await Journal.open(path)
  const texts: [string, string | undefined][] = []
  for (const id of journal.ids()) texts.push([id, await journal.read(id)])
  await journal.close()
  return { texts, incomplete }
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('SVCJ', 'xxxxxxxxSVCJ', '\u0000'.repeat(64)),
  fc.nat({ max: 5_000 }).map((length) => 'ü'.repeat(length)),
)

test('a journal has what was appended and not removed, in order, whenever it is opened again', async () => {
  const action = fc.oneof(
    fc.record({ kind: fc.constant('append' as const), text }),
    fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('reopen' as const) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      using folder = temporaryFolder()
      const path = join(folder.path, 'journal')
      let { journal } = await Journal.open(path)
      const expected = new Map<string, string>()
      for (const [at, each] of actions.entries()) {
        if (each.kind === 'append') {
          await journal.append(`event ${at}`, each.text)
          expected.set(`event ${at}`, each.text)
        } else if (each.kind === 'remove') {
          const id = [...expected.keys()].at(each.at % Math.max(1, expected.size)) ?? 'none'
          journal.remove(id)
          expected.delete(id)
        } else {
          await journal.flush()
          await journal.close()
          journal = (await Journal.open(path)).journal
        }
        expect(journal.ids()).toEqual([...expected.keys()])
      }
      await journal.close()
      expect(await contentOf(path)).toEqual({ texts: [...expected], incomplete: 0 })
    }),
    { numRuns: 60 },
  )
})

test('a journal whose process was killed has what was not removed, and of the rest what was not settled', async () => {
  const action = fc.oneof(
    fc.record({ kind: fc.constant('append' as const), text }),
    fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('settle' as const) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      using folder = temporaryFolder()
      const path = join(folder.path, 'journal')
      const { journal } = await Journal.open(path)
      const [expected, removed] = [new Map<string, string>(), new Map<string, string>()]
      for (const [at, each] of actions.entries()) {
        if (each.kind === 'append') {
          await journal.append(`event ${at}`, each.text)
          expected.set(`event ${at}`, each.text)
        } else if (each.kind === 'remove') {
          const id = [...expected.keys()].at(each.at % Math.max(1, expected.size)) ?? 'none'
          journal.remove(id)
          removed.set(id, expected.get(id) ?? '')
          expected.delete(id)
        } else {
          await journal.settle()
          removed.clear()
        }
        const left = join(folder.path, 'left')
        copyFileSync(path, left)
        const { texts, incomplete } = await contentOf(left)
        expect(texts.filter(([id]) => !removed.has(id))).toEqual([...expected])
        for (const [id, body] of texts) expect(body).toBe(expected.get(id) ?? removed.get(id) ?? '')
        expect(incomplete).toBe(0)
      }
      await journal.close()
    }),
    { numRuns: 30 },
  )
})

test('a journal that was cut off anywhere has all records before the cut', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'journal')
  const { journal } = await Journal.open(path)
  const texts: [string, string][] = ['one', 'two'.repeat(40), 'three'].map((body, at) => [`e${at}`, body])
  const ends: number[] = []
  for (const [id, body] of texts) {
    await journal.append(id, body)
    ends.push((ends.at(-1) ?? 0) + Math.ceil((32 + id.length + body.length) / 8) * 8)
  }
  await journal.close()
  const cut = join(folder.path, 'cut')
  for (let length = 0; length <= (ends.at(-1) ?? 0); length++) {
    copyFileSync(path, cut)
    truncateSync(cut, length)
    const { texts: found } = await contentOf(cut)
    // The end of a record may be padding.
    expect(texts.slice(0, found.length)).toEqual(found as [string, string][])
    expect(found.length).toBeGreaterThanOrEqual(ends.filter((end) => end <= length).length)
  }
})

test('a damaged byte costs the record in which it is, and no other', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'journal')
  const { journal } = await Journal.open(path)
  const bodies = ['a'.repeat(50), 'SVCJ'.repeat(20), 'c'.repeat(30)]
  for (const [at, body] of bodies.entries()) await journal.append(`e${at}`, body)
  await journal.close()
  const whole = readFileSync(path)
  const used = bodies.reduce((sum, body) => sum + Math.ceil((34 + body.length) / 8) * 8, 0)
  const damaged = join(folder.path, 'damaged')
  for (let at = 0; at < used; at++) {
    const bytes = Buffer.from(whole)
    bytes[at] = (bytes[at] ?? 0) ^ 0x41
    writeFileSync(damaged, bytes)
    const { texts } = await contentOf(damaged)
    for (const [id, body] of texts) expect(body).toBe(bodies[Number(id.slice(1))] ?? '')
    expect(texts.length).toBeGreaterThanOrEqual(2)
  }
})

test('a record that is written over an older one is found, and those behind it are not', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'journal')
  const { journal } = await Journal.open(path)
  for (const id of ['a', 'b', 'c']) await journal.append(id, 'of the first generation')
  const older = readFileSync(path)
  for (const id of ['a', 'b', 'c']) journal.remove(id)
  await journal.append('d', 'short')
  await journal.close()
  // As after a power failure in which the removals did not reach the disk.
  const bytes = readFileSync(path)
  older.copy(bytes, 64, 64, 512)
  writeFileSync(path, bytes)
  expect((await contentOf(path)).texts).toEqual([['d', 'short']])
})

test('the file keeps its size while it is emptied again and again', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'journal')
  const { journal } = await Journal.open(path)
  for (let round = 0; round < 500; round++) {
    await journal.append(`e${round}`, 'x'.repeat(2_000))
    journal.remove(`e${round}`)
  }
  expect(statSync(path).size).toBe(INITIAL_SIZE)
  expect(statSync(path).mode & 0o077).toBe(0)
  await journal.append('large', 'x'.repeat(9_000_000))
  journal.remove('large')
  await journal.settle()
  expect(statSync(path).size).toBe(INITIAL_SIZE)
  await journal.close()
})

test('one record that stays does not let the file grow without end', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'journal')
  const { journal } = await Journal.open(path)
  await journal.append('kept', 'for ever')
  for (let round = 0; round < 40; round++) {
    await journal.append(`e${round}`, 'x'.repeat(1_000_000))
    await journal.flush()
    journal.remove(`e${round}`)
  }
  expect(statSync(path).size).toBeLessThan(10_000_000)
  expect(await journal.read('kept')).toBe('for ever')
  await journal.close()
  expect((await contentOf(path)).texts).toEqual([['kept', 'for ever']])
})
