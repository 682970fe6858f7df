import { expect, test } from 'bun:test'
import {
  assertAwaited,
  createLog,
  mustEnd,
  withLogFields,
  workFor,
  workingFor,
} from '../../src/base/index.ts'

test('withLogFields() adds its fields to every line of the work, including later ones, and to no other', async () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)) })
  const gate = Promise.withResolvers<void>()
  const works = ['a', 'b'].map((id) =>
    withLogFields({ request_id: id, token: 'secret' }, async () => {
      log.info('begins')
      setImmediate(() => log.info('later'))
      await gate.promise
      log.child('deep').info('ends', { request_id: 'own' })
      withLogFields({}, () => log.info('outlives'))
    }),
  )
  log.info('outside')
  gate.resolve()
  await Promise.all(works)
  await new Promise((resolve) => setImmediate(resolve))
  const seen = lines.map(({ message, request_id }) => `${message} ${request_id}`).toSorted()
  expect(seen).toEqual([
    'begins a',
    'begins b',
    'ends own',
    'ends own',
    'later a',
    'later b',
    'outlives undefined',
    'outlives undefined',
    'outside undefined',
  ])
  expect(lines[0]).toMatchObject({ token: '[redacted]' })
})

test('workingFor() is the caller of the scope, also after waiting and under another name, and of no other', async () => {
  const seen = await withLogFields({}, async () => {
    workFor('address')
    const first = workingFor()
    await Bun.sleep(0)
    workFor('ada')
    await Bun.sleep(0)
    return [first, workingFor(), withLogFields({}, workingFor)]
  })
  expect(seen).toEqual(['address', 'ada', undefined])
  workFor('nobody')
  expect(workingFor()).toBeUndefined()
})

test('work whose client has left is refused, unless it has changed something', async () => {
  const client = new AbortController()
  const work = withLogFields({}, () => {
    workFor('ada', client)
    return [Bun.sleep(2).then(assertAwaited), Bun.sleep(0).then(assertAwaited)]
  })
  const changing = withLogFields({}, () => {
    workFor('ada', client)
    mustEnd()
    return Bun.sleep(2).then(assertAwaited)
  })
  await work[1]
  client.abort()
  await expect(work[0] ?? Promise.resolve()).rejects.toMatchObject({ code: 'unavailable' })
  await changing
})
