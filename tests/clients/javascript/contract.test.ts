import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcClient } from '../../../clients/js/src/index.ts'
import { CONTRACT_TOKEN, type ContractCase } from '../../support/contract/case.ts'
import { hasAll } from '../../support/contract/compare.ts'
import { perform } from '../../support/contract/perform.ts'
import { ContractStub } from '../../support/contract/stub.ts'

const FILE = join(import.meta.dir, '../../../clients/contract/cases.json')
const { cases }: { cases: ContractCase[] } = JSON.parse(readFileSync(FILE, 'utf8'))

describe('contract', () => {
  test.concurrent.each(cases)('$name', async (given) => {
    await using stub = await ContractStub.open(given)
    const svc = new SvcClient({ baseUrl: stub.url, apiToken: CONTRACT_TOKEN })
    const { returns, raises, message = '' } = await perform(svc, given)
    expect(stub.breaches).toEqual([])
    const { contains = [], ...raised } = given.raises ?? {}
    if (!hasAll(given.raises ? raises : returns, given.raises ? raised : given.returns))
      expect(raises ?? returns).toEqual(given.raises ?? given.returns)
    for (const part of contains) expect(message).toContain(part)
  })
})
