import { expect, test } from 'bun:test'
import { checkPendingReads } from '../../../../scripts/source-checks/code/pending-reads.ts'
import { scanSource } from '../../../../scripts/source-text.ts'

const found = (source: string, file = 'src/db/store/jobs/end.ts') =>
  checkPendingReads({ file, source, ...scanSource(source) }).map(({ line }) => line)

test('a function with a transaction does not return a function', () => {
  expect(found('export function readOwner(tx: ReadTx, job: string): () => Owner | undefined {}')).toEqual([1])
  expect(found('const end = (tx: Tx, { job }: Key) => () => tx.run(END, { job })')).toEqual([1])
  expect(found('function end(\n  tx: SqlWriter,\n): (at: string) => void {}')).toEqual([1])
  expect(found('interface A {\n computed: (tx: ReadTx, all: readonly R[]) => (one: R) => Values\n}')).toEqual(
    [2],
  )
})

test('a function with a transaction gets no function without parameters', () => {
  expect(found('function retry(tx: Tx, { why }: Key & { why: () => string }) {}')).toEqual([1])
  expect(found('function retry(why: () => string, tx: Pick<ReadTx, "one">) {}')).toEqual([1])
})

test('what the store is called with has no member that is a function without parameters', () => {
  expect(found('interface Event {\n  kind: string\n  data(): Values\n}')).toEqual([3])
  expect(found('interface Event {\n  readonly data?: () => Values\n}')).toEqual([2])
  expect(found('interface Event {\n  stop(): void\n}', 'src/server/a.ts')).toEqual([])
})

test('values, queries, listeners and work with parameters are allowed', () => {
  expect(found('function owner(tx: ReadTx, job: string): (Owner & { id: string })[] {}')).toEqual([])
  expect(found('function each(tx: Tx, rows: R[], step: (tx: Tx, row: R) => void): void {}')).toEqual([])
  expect(found('function begin(tx: Tx, done: () => void): void {}')).toEqual([])
  expect(found('const run = (tx: Tx) => tx.read(owners())')).toEqual([])
  expect(found('function now(clock: () => number) {}')).toEqual([])
  expect(found('function readOwner(tx: ReadTx): () => Owner {}', 'src/db/records/tx.ts')).toEqual([])
})
