import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiDocument, operationsOf, type PlacedOperation } from '../../scripts/clients/operations.ts'
import type { ContractCase, Exchange } from '../support/contract/case.ts'

const FOLDER = join(import.meta.dir, '../../clients/contract')
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const { cases }: { cases: ContractCase[] } = JSON.parse(read('cases.json'))
const operations = operationsOf(JSON.parse(read('openapi.json')) as ApiDocument)
const nameOf = ({ method, path }: PlacedOperation) => `${method} ${path}`

/** Lines such as `GET /api/health — for load balancers`; others begin with #. */
const unwrapped = read('unwrapped.txt')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' — '))

/** The operation of an exchange; of several paths that fit, the one with the fewest parameters. */
function operationOf({ method, path }: Exchange): PlacedOperation | undefined {
  const fits = operations.filter((operation) => {
    const pattern = operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')
    return operation.method === method && new RegExp(`^${pattern}$`).test(path)
  })
  const parameters = (operation: PlacedOperation) => operation.path.split('{').length
  return fits.toSorted((one, other) => parameters(one) - parameters(other))[0]
}

test('every operation has a case, or a reason why clients do not wrap it', () => {
  const wrapped = new Set(
    cases
      .flatMap(({ exchanges }) => exchanges.map(operationOf))
      .filter((operation) => operation !== undefined)
      .map(nameOf),
  )
  const named = unwrapped.map(([name = '']) => name)
  expect(unwrapped.filter(([, reason = '']) => reason.trim() === '')).toEqual([])
  expect([...new Set(named)].toSorted()).toEqual(named.toSorted())
  expect([...wrapped, ...named].toSorted()).toEqual(operations.map(nameOf).toSorted())
})

test('cases have the statuses and codes that the operations declare', () => {
  const undeclared = cases.flatMap(({ name, exchanges }) =>
    exchanges.flatMap((exchange) => {
      const operation = operationOf(exchange)
      return (
        exchange.responses
          .filter((response) => 'status' in response)
          .filter(({ status }) => status < 500 && !(String(status) in (operation?.responses ?? {})))
          // Who does not have the operation at all declares nothing.
          .filter(() => name !== 'a wait at a server of an earlier release')
          .map(({ status }) => `${name}: ${status}`)
      )
    }),
  )
  expect(undeclared).toEqual([])
})
