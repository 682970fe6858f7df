import { describe, expect, test } from 'bun:test'
import { silentLog } from '../../../src/base/index.ts'
import { openDatabase, type Schema } from '../../../src/db/index.ts'
import { defineCollection } from '../../../src/db/schema/collection.ts'
import { integer, relation, text } from '../../../src/db/schema/fields/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const rules = { list: null, view: null, create: null, update: null, remove: null }
const boxes = defineCollection({ name: 'boxes', fields: { label: text(), size: integer() }, rules })

function open(dir: string, collections: Schema['collections']) {
  return openDatabase({ dir, clock: new FakeClock(), log: silentLog }, { collections, migrations: [] })
}

async function seeded(dir: string): Promise<void> {
  const db = await open(dir, [boxes])
  await db.write('add', (tx) => tx.insert(boxes, { label: 'red', size: 2 }))
  await db.close()
}

describe('syncTables()', () => {
  const grown = defineCollection({
    name: 'boxes',
    fields: { label: text(), size: integer(), color: text({ default: 'gray', unique: true }) },
    rules,
    indexes: [['size']],
  })
  const shelves = defineCollection({
    name: 'shelves',
    fields: { box: relation('boxes', { required: true }) },
    rules,
  })

  test('adds tables, columns and indexes to a database in use', async () => {
    using folder = temporaryFolder()
    await seeded(folder.path)
    for (let start = 0; start < 2; start++) {
      const db = await open(folder.path, [grown, shelves])
      expect(await db.read((tx) => tx.list(grown))).toMatchObject([{ label: 'red', size: 2, color: '' }])
      const indexes = await db.read((tx) =>
        tx.all<{ name: string }>("SELECT name FROM sqlite_master WHERE name LIKE 'boxes_%' ORDER BY name"),
      )
      expect(indexes.map((row) => row.name)).toEqual(['boxes_color_unique', 'boxes_size'])
      await db.close()
    }
  })

  test.each([
    [
      'a dropped column',
      [defineCollection({ name: 'boxes', fields: { label: text() }, rules })],
      '0001-drop-boxes-size.ts',
    ],
    [
      'a changed type',
      [defineCollection({ name: 'boxes', fields: { label: integer(), size: integer() }, rules })],
      '0001-change-boxes-label.ts',
    ],
    ['a dropped table', [shelves], '0001-drop-boxes.ts'],
    [
      'a column without a value for stored rows',
      [
        defineCollection({
          name: 'boxes',
          fields: { label: text(), size: integer(), lid: relation('boxes', { required: true }) },
          rules,
        }),
      ],
      '0001-add-boxes-lid.ts',
    ],
  ])('rejects %s and names the missing migration', async (_name, collections, file) => {
    using folder = temporaryFolder()
    await seeded(folder.path)
    const opening = open(folder.path, collections)
    await expect(opening).rejects.toMatchObject({ code: 'internal', reason: 'migration_missing' })
    await expect(opening).rejects.toThrow(`src/db/schema/migrations/${file} is missing`)
    const db = await open(folder.path, [boxes])
    expect(await db.read((tx) => tx.list(boxes))).toHaveLength(1)
    await db.close()
  })
})
