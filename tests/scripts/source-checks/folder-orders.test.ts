import { expect, test } from 'bun:test'
import { checkOrder, checkOrdersAreComplete } from '../../../scripts/source-checks/folder-orders.ts'

const ORDER = { folder: 'src/db', steps: [['a'], ['b', 'c.ts'], ['d']] }

test.each([
  ['a/x.ts', 'a/y.ts', undefined],
  ['b/x.ts', 'a/y.ts', undefined],
  ['a/x.ts', 'b/y.ts', 'b comes after a in src/db: a < b, c.ts < d < index.ts'],
  ['b/x.ts', 'c.ts', 'c.ts and b share a step of src/db: a < b, c.ts < d < index.ts'],
  ['d/x.ts', 'c.ts', undefined],
  ['c.ts', 'd/x.ts', 'd comes after c.ts in src/db: a < b, c.ts < d < index.ts'],
  ['index.ts', 'd/x.ts', undefined],
  ['d/x.ts', 'index.ts', 'index.ts comes after d in src/db: a < b, c.ts < d < index.ts'],
])('checkOrder() for src/db/%s importing src/db/%s', (file, target, reason) => {
  expect(checkOrder(ORDER, `src/db/${file}`, `src/db/${target}`)?.reason).toBe(reason)
})

test('checkOrdersAreComplete() reports entries without a step and steps without an entry', () => {
  const files = ['src/db/index.ts', 'src/db/a/x.ts', 'src/db/b/x.ts', 'src/db/e/x.ts', 'src/db/f.ts']
  expect(checkOrdersAreComplete(files, [ORDER]).map(({ file, reason }) => `${file} ${reason}`)).toEqual([
    'src/db/e/x.ts name e in the order of src/db in scripts/source-rules/folder-orders.ts',
    'src/db/f.ts name f.ts in the order of src/db in scripts/source-rules/folder-orders.ts',
    'scripts/source-rules/folder-orders.ts c.ts is not in src/db',
    'scripts/source-rules/folder-orders.ts d is not in src/db',
  ])
  expect(checkOrdersAreComplete(['src/base/a/x.ts'], [ORDER])).toEqual([])
  const open = { folder: 'src/db', steps: [['a'], ['*']], sharedFilesReach: 'a' }
  expect(checkOrdersAreComplete(files, [open])).toEqual([])
})
