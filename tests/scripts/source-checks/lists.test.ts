import { describe, expect, test } from 'bun:test'
import { checkLists } from '../../../scripts/source-checks/lists.ts'

describe('checkLists()', () => {
  const list = 'src/devices/built-in.ts'
  const files = [list, 'src/devices/process/mock/index.ts', 'src/devices/process/mock/noise.ts']

  test('reports each folder and file once', () => {
    expect(checkLists(files, () => '').map(({ file, reason }) => `${file} ${reason}`)).toEqual([
      `${list} src/devices/process/mock/index.ts is not in the list`,
    ])
    expect(checkLists(files, () => "import mock from './process/mock/index.ts'")).toEqual([])
    expect(checkLists(files, () => "// import mock from './process/mock/index.ts'").length).toBe(1)
  })

  test('reports the files in the folder of the list, even when the list is missing', () => {
    const events = ['src/protocol/events/a.ts', 'src/protocol/events/b.ts']
    expect(checkLists(events, () => '').map(({ reason }) => reason)).toEqual([
      'src/protocol/events/a.ts is not in the list',
      'src/protocol/events/b.ts is not in the list',
    ])
    const both = "import { a } from './a.ts'\nexport * from './b.ts'"
    expect(checkLists([...events, 'src/protocol/events/index.ts'], () => both)).toEqual([])
  })

  test('finds the members of a registry that is divided by kind', () => {
    const lists = [{ list: 'src/devices/routines/index.ts', folder: 'src/devices/routines/' }]
    const routines = ['index.ts', 'qubit/rabi.ts', 'qubit/ramsey/index.ts', 'qubit/ramsey/fit.ts', 'echo.ts']
    const present = routines.map((file) => `src/devices/routines/${file}`)
    const found = (text: string) => checkLists(present, () => text, lists).map(({ reason }) => reason)
    expect(found('')).toEqual([
      'src/devices/routines/echo.ts is not in the list',
      'src/devices/routines/qubit/rabi.ts is not in the list',
      'src/devices/routines/qubit/ramsey/index.ts is not in the list',
    ])
    const all = ['./echo.ts', './qubit/rabi.ts', './qubit/ramsey/index.ts']
    expect(found(all.map((file) => `export * from '${file}'`).join('\n'))).toEqual([])
  })

  test('ignores folders that do not exist', () => {
    expect(checkLists(['src/base/index.ts'], () => '')).toEqual([])
  })
})
