import { describe, expect, test } from 'bun:test'
import { type Clock, systemClock } from '../../../../src/base/index.ts'
import { ResponseEncoder } from '../../../../src/server/http/response/response-encoder.ts'
import { type FilePage, TextFile } from '../../../../src/server/http/response/text-file.ts'
import { openTestDatabase } from '../../../support/database.ts'

const MIB = 1024 * 1024
const receiver = (headers: Record<string, string> = {}, signal?: AbortSignal) => ({
  caller: 'ada',
  request: new Request('http://localhost/', { headers, ...(signal && { signal }) }),
})
const connection = { setIdleTimeout: () => undefined }

/** A clock on which each written line takes 1 ms. */
function clockOfLines(): { clock: Clock; line: () => void } {
  let now = 0
  return {
    clock: { ...systemClock, monotonic: () => now, sleep: () => systemClock.sleep(0) },
    line: () => {
      now += 1
    },
  }
}

async function* pagesOf(...pages: FilePage[]): AsyncGenerator<FilePage, void, undefined> {
  yield* pages
}

describe('ResponseEncoder.file()', () => {
  test('lets other work run after every few milliseconds of writing, also when several files are written', async () => {
    await using test = await openTestDatabase()
    const { clock, line } = clockOfLines()
    const encoder = new ResponseEncoder(test.db, clock)
    const events: string[] = []
    const lines = function* (name: string) {
      for (let number = 0; number < 100; number += 1) {
        line()
        events.push('line')
        yield `${name} ${number}\n`
      }
    }
    let isOver = false
    const otherWork = () => {
      events.push('other work')
      if (!isOver) setImmediate(otherWork)
    }
    setImmediate(otherWork)
    const files = ['a', 'b', 'c', 'd'].map((name) => new TextFile('x.csv', 'text/csv', pagesOf(lines(name))))
    const responses = await Promise.all(files.map((file) => encoder.file(file, receiver(), connection)))
    isOver = true
    for (const response of responses) expect((await response.text()).split('\n')).toHaveLength(101)
    const runs = events.join().split('other work')
    const longest = Math.max(...runs.map((run) => run.split('line').length - 1))
    expect(longest).toBeLessThanOrEqual(6)
  })

  test('sends the pages in their order and whole, compressed if the client asks for it', async () => {
    await using test = await openTestDatabase()
    const encoder = new ResponseEncoder(test.db, systemClock)
    const parts = ['é'.repeat(MIB), 'b'.repeat(300_000), '', 'c']
    const pages = () => pagesOf(['head\n'], ...parts.map((part) => Buffer.from(part)), ['end\n'])
    for (const coding of ['gzip', 'zstd', '']) {
      const file = new TextFile('jobs.jsonl', 'application/jsonl; charset=utf-8', pages())
      const response = await encoder.file(file, receiver({ 'accept-encoding': coding }), connection)
      expect(response.headers.get('content-encoding')).toBe(coding === '' ? null : coding)
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="jobs.jsonl"')
      const bytes = new Uint8Array(await response.arrayBuffer())
      const text =
        coding === 'gzip'
          ? Bun.gunzipSync(bytes)
          : coding === 'zstd'
            ? await Bun.zstdDecompress(bytes)
            : bytes
      expect(Buffer.from(text).toString()).toBe(`head\n${parts.join('')}end\n`)
    }
  })

  test('fails as a whole when its beginning cannot be read, and ends incomplete after that', async () => {
    await using test = await openTestDatabase()
    const encoder = new ResponseEncoder(test.db, systemClock)
    const failing = async function* (bytes: number): AsyncGenerator<FilePage, void, undefined> {
      yield Buffer.alloc(bytes, 'a')
      throw new Error('no page')
    }
    const small = encoder.file(new TextFile('a', 'text/csv', failing(10)), receiver(), connection)
    await expect(small).rejects.toThrow('no page')
    const response = await encoder.file(new TextFile('a', 'text/csv', failing(MIB)), receiver(), connection)
    await expect(response.text()).rejects.toThrow('no page')
  })

  test('reads no further when the client has gone', async () => {
    await using test = await openTestDatabase()
    const encoder = new ResponseEncoder(test.db, systemClock)
    const client = new AbortController()
    const ended = Promise.withResolvers<void>()
    const endless = async function* (): AsyncGenerator<FilePage, void, undefined> {
      try {
        for (;;) yield Buffer.alloc(MIB, 'a')
      } finally {
        ended.resolve()
      }
    }
    const file = new TextFile('a', 'text/csv', endless())
    await encoder.file(file, receiver({}, client.signal), connection)
    client.abort()
    await ended.promise
  })
})
