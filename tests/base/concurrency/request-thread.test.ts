import { describe, expect, test } from 'bun:test'
import { defineWorker, RequestThread } from '../../../src/base/index.ts'

const echo = defineWorker<string, string>('src/../tests/base/concurrency/echo.child.ts')

function openThread(opening?: string) {
  const thread = new RequestThread(echo, { task: 'repeats', ...(opening !== undefined && { opening }) })
  return Object.assign(thread, { [Symbol.dispose]: () => thread.stop(new Error('test over')) })
}

const outcomes = async (requests: readonly Promise<string>[]) =>
  (await Promise.allSettled(requests)).map((each) =>
    each.status === 'fulfilled' ? each.value : String(each.reason),
  )

describe('RequestThread', () => {
  test('responds to each request in order, all of them by one thread', async () => {
    using thread = openThread()
    const requests = ['one', 'two'].map((text) => thread.request(text))
    expect(thread.pending).toBe(2)
    expect(await outcomes(requests)).toEqual(['one', 'one two'])
    expect(thread.pending).toBe(0)
    expect(await thread.request('three')).toBe('one two three')
  })

  test('a failure of the thread rejects what is pending; the next request starts another', async () => {
    using thread = openThread()
    expect(await thread.request('one')).toBe('one')
    const failure = expect.stringMatching(/^Error: The thread that repeats ended: .*on request/s)
    const pending = ['fail', 'two'].map((text) => thread.request(text))
    expect(await outcomes(pending)).toEqual([failure, failure])
    expect(await thread.request('three')).toBe('three')
  })

  test('each thread receives the opening first, which has no response', async () => {
    using thread = openThread('opening')
    expect(await thread.request('one')).toBe('opening one')
    thread.restart(new Error('replaced'))
    expect(await thread.request('two')).toBe('opening two')
  })

  test('restart() ends the thread whatever it does, and rejects what is pending with its reason', async () => {
    using thread = openThread()
    const pending = ['block', 'one'].map((text) => thread.request(text))
    thread.restart(new Error('too long'))
    expect(await outcomes(pending)).toEqual(['Error: too long', 'Error: too long'])
    expect(await thread.request('two')).toBe('two')
  })

  test('stop() rejects what is pending and every later request, with its first reason', async () => {
    using thread = openThread()
    const pending = thread.request('one')
    thread.stop(new Error('closed'))
    thread.stop(new Error('again'))
    expect(await outcomes([pending, thread.request('two')])).toEqual(['Error: closed', 'Error: closed'])
  })

  test('memory that moves to the thread is gone here', async () => {
    const bytes = defineWorker<Uint8Array, string>('src/../tests/base/concurrency/echo.child.ts')
    const thread = new RequestThread(bytes, { task: 'repeats' })
    const moved = Uint8Array.of(1, 2)
    expect(await thread.request(moved, [moved.buffer])).toBe('1,2')
    expect(moved.byteLength).toBe(0)
    thread.stop(new Error('test over'))
  })
})
