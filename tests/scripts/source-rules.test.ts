import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER_ORDERS } from '../../scripts/source-rules/folder-orders.ts'
import { LAYERS, LISTS } from '../../scripts/source-rules.ts'

test('every folder and file that a rule names exists', () => {
  const named = [
    ...LAYERS.map(({ path }) => path),
    ...LISTS.flatMap(({ list, folder }) => [list, folder]),
    ...FOLDER_ORDERS.map(({ folder }) => folder),
  ]
  expect(named.filter((path) => !existsSync(join(import.meta.dir, '../..', path)))).toEqual([])
})
