import { expect, test } from 'bun:test'
import { openCLibrary } from '../../src/base/index.ts'

test.skipIf(process.platform !== 'linux')('calls a function of the C library', () => {
  expect(openCLibrary({ getpid: { args: [], returns: 'int' } }).getpid()).toBe(process.pid)
})

test('names a function that the C library lacks', () => {
  expect(() => openCLibrary({ no_such_function: { args: [], returns: 'int' } })).toThrow('no_such_function')
})
