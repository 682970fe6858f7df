import { expect, test } from 'bun:test'
import { groupFiles } from '../../../scripts/testing/groups.ts'

test('files of a folder that shares processes are spread over few groups; others are alone; none is left out', () => {
  const server = Array.from({ length: 60 }, (_, index) => `tests/server/${10 + index}.test.ts`)
  const files = [...server, 'tests/black-box/a.test.ts', 'tests/black-box/b.test.ts', 'tests/docs.test.ts']
  const groups = groupFiles(files)
  expect(groups.map(({ length }) => length)).toEqual([20, 20, 20, 1, 1, 1])
  expect(groups[0]?.slice(0, 2)).toEqual(['tests/server/10.test.ts', 'tests/server/13.test.ts'])
  expect(groups.flat().sort()).toEqual(files.toSorted())
})
