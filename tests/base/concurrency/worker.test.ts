import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findWorkerEntries } from '../../../scripts/worker-entries.ts'
import { defineWorker, startWorker } from '../../../src/base/index.ts'
import { submissionWorker } from '../../../src/server/jobs/submission/examine.ts'

const root = join(import.meta.dir, '../../..')

describe('startWorker()', () => {
  test('passes requests to the thread in order and its responses back', async () => {
    const sizes: number[] = []
    const done = Promise.withResolvers<void>()
    const worker = startWorker(submissionWorker, {
      onResponse: ({ examination: { outcome } }) => {
        if (sizes.push('text' in outcome ? outcome.executions : 0) === 3) done.resolve()
      },
      onEnd: (error) => done.reject(error),
    })
    for (const size of [1, 3, 2]) {
      const value = { circuits: Array.from({ length: size }, () => 'OPENQASM 3.0;') }
      worker.send({ body: { value }, isRecord: false, isKeyed: false, dts: [] })
    }
    await done.promise
    worker.terminate()
    expect(sizes).toEqual([1, 3, 2])
  })

  test('calls onEnd once with the error of a thread that fails, and never after terminate()', async () => {
    const missing = defineWorker<string, string>('src/base/no-such-file.ts')
    const ended: unknown[] = []
    const end = Promise.withResolvers<void>()
    startWorker(missing, { onEnd: () => ended.push('terminated') }).terminate()
    startWorker(missing, {
      onEnd: (error) => {
        ended.push(error)
        end.resolve()
      },
    })
    await end.promise
    const later = Promise.withResolvers<void>()
    startWorker(missing, { onEnd: () => later.resolve() })
    await later.promise
    expect(ended).toEqual([expect.any(Error)])
  })
})

describe('worker entry points', () => {
  test('each file that serves requests is declared, and each declared file serves requests', async () => {
    const { declared, served } = await findWorkerEntries(root)
    expect(declared).toEqual(served)
    expect(declared.length).toBeGreaterThan(0)
  })

  test('the executable contains each of them', async () => {
    const { declared } = await findWorkerEntries(root)
    const executable = await readFile(join(root, 'svc'))
    const missing = declared.filter(
      (file) => !executable.includes(file.replace(/^src\/(.*)\.ts$/, '/$bunfs/root/$1.js')),
    )
    expect(missing).toEqual([])
  })
})
