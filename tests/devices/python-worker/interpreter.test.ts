import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPython } from '../../../src/devices/python-worker/interpreter.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('findPython() takes the given one, else the one beside the program, else that of the PATH', () => {
  using folder = temporaryFolder()
  const put = (path: string, mode = 0o755) => {
    const whole = join(folder.path, path)
    mkdirSync(join(whole, '..'), { recursive: true })
    writeFileSync(whole, '', { mode })
    return whole
  }
  const venv = put('venv/bin/python3')
  const beside = put('opt/python3')
  put('usr/python3', 0o644)
  const onPath = put('usr/local/python3')
  const path = `${join(folder.path, 'usr')}:${join(folder.path, 'usr/local')}`
  const find = (given: string, program = '') => findPython({ given, beside: program, cwd: folder.path, path })
  expect(find('venv')).toBe(venv)
  expect(find(join(folder.path, 'venv/bin/python3'))).toBe(venv)
  expect(find('', join(folder.path, 'opt'))).toBe(beside)
  expect(find('', folder.path)).toBe(onPath)
  expect(findPython({ given: '', beside: '', cwd: folder.path, path: '' })).toBeUndefined()
  expect(() => find('usr')).toThrow(
    'bad value for --python: usr is neither an interpreter nor the folder of a virtual environment',
  )
})
