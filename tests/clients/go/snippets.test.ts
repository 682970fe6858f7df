import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { goValue } from '../../../ui/admin/snippets/quote.ts'
import { type RecordCall, writeGo } from '../../../ui/admin/snippets/record-calls.ts'
import { gofmt, hasGo, openGoModule, runGo } from '../../support/clients/go.ts'
import { hostileValue } from '../../support/hostile-values.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(300_000)

const CALLS: readonly RecordCall[] = [
  { action: 'list', collection: 'qpus' },
  { action: 'list', collection: 'qpus', filter: `name = "a'b"`, sort: '-created', expand: 'driver' },
  { action: 'view', collection: 'qpus', id: 'q1' },
  { action: 'create', collection: 'qpus' },
  { action: 'update', collection: 'qpus', id: 'q1' },
  { action: 'delete', collection: 'qpus', id: 'q1' },
]

describe.skipIf(!hasGo)('examples in Go', () => {
  const temporary = temporaryFolder()
  afterAll(() => temporary[Symbol.dispose]())
  let app = ''
  let env: Record<string, string> = {}
  beforeAll(async () => {
    ;({ app, env } = await openGoModule(temporary.path))
  })

  test('of record routes pass go vet and gofmt', async () => {
    const formatter = await gofmt()
    for (const call of CALLS) {
      const body = { name: 'north', tags: ['a', 'b'], limits: { shots: 10, note: null } }
      writeFileSync(join(app, 'main.go'), `${writeGo('https://lab.example', call, body)}\n`)
      await runGo(['vet', '.'], { cwd: app, env })
      expect(Bun.spawnSync([formatter, '-l', '.'], { cwd: app }).stdout.toString()).toBe('')
    }
  })

  test('have the values that were written, whatever they contain', async () => {
    const values = fc.sample(hostileValue, { numRuns: 200, seed: 7 })
    const program = `package main

import (
\t"encoding/json"
\t"os"
)

func main() {
\t_ = json.NewEncoder(os.Stdout).Encode([]any{${values.map(goValue).join(', ')}})
}
`
    writeFileSync(join(app, 'main.go'), program)
    const found = JSON.parse(await runGo(['run', '.'], { cwd: app, env }))
    expect(found).toEqual(values)
  })
})
