import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildGo, hasGo } from '../../support/clients/go.ts'
import type { ContractCase } from '../../support/contract/case.ts'
import { hasAll } from '../../support/contract/compare.ts'
import { ContractStub } from '../../support/contract/stub.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(180_000)

const FILE = join(import.meta.dir, '../../../clients/contract/cases.json')
const { cases }: { cases: ContractCase[] } = JSON.parse(readFileSync(FILE, 'utf8'))

describe.skipIf(!hasGo)('contract of the Go client', () => {
  const temporary = temporaryFolder()
  afterAll(() => temporary[Symbol.dispose]())
  const program = join(temporary.path, 'contract')

  test('its program builds', () => buildGo('./internal/contract', program))

  test.concurrent.each(cases)('$name', async (given) => {
    await using stub = await ContractStub.open(given)
    const { call, args } = given
    const run = Bun.spawn([program], {
      stdin: new Blob([JSON.stringify({ url: stub.url, call, args })]),
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const { returns = null, raises, message = '' } = await new Response(run.stdout).json()
    expect(stub.breaches).toEqual([])
    const { contains = [], ...raised } = given.raises ?? {}
    if (!hasAll(given.raises ? raises : returns, given.raises ? raised : given.returns))
      expect(raises ?? returns).toEqual(given.raises ?? given.returns)
    for (const part of contains) expect(message).toContain(part)
  })
})
