import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { pythonValue, scriptValue, shellQuoted } from '../../../../ui/admin/snippets/quote.ts'
import { hostile, hostileValue } from '../../../support/hostile-values.ts'

test('a shell prints what was quoted, whatever it contains', () => {
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 8 }), (texts) => {
      const script = `printf '%s\\001' ${texts.map(shellQuoted).join(' ')}`
      const { stdout, exitCode } = Bun.spawnSync(['sh', '-c', script])
      expect(exitCode).toBe(0)
      expect(stdout.toString().split('\x01').slice(0, -1)).toEqual(texts)
    }),
    { numRuns: 60 },
  )
})

test('a script evaluates to the value that was written, whatever it contains', () => {
  fc.assert(
    fc.property(hostileValue, (each) => {
      const code = scriptValue(each)
      expect(new Function(`return (${code})`)()).toEqual(each)
      expect(code).not.toContain('</')
    }),
  )
})

test('Python evaluates to the value that was written, whatever it contains', () => {
  const values = fc.sample(hostileValue, { numRuns: 200, seed: 7 })
  const program = `import json\nprint(json.dumps([${values.map(pythonValue).join(', ')}]))`
  const { stdout, stderr } = Bun.spawnSync(['python3', '-c', program])
  expect(stderr.toString()).toBe('')
  expect(JSON.parse(stdout.toString())).toEqual(values)
})
