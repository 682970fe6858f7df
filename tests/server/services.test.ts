import { expect, test } from 'bun:test'
import { createLog } from '../../src/base/index.ts'
import { type Service, ServiceList } from '../../src/server/services.ts'

/** Services that record each start and stop; those named in `failing` throw at that step. */
function openList(names: readonly string[], failing: readonly string[] = []) {
  const steps: string[] = []
  const logged: Record<string, unknown>[] = []
  const log = createLog({ write: (line) => void logged.push(JSON.parse(line)) })
  const note = async (step: string) => {
    await Promise.resolve()
    steps.push(step)
    if (failing.includes(step)) throw new Error(`failed: ${step}`)
  }
  const services = names.map(
    (name): Service => ({ name, start: () => note(`start ${name}`), stop: () => note(`stop ${name}`) }),
  )
  return { steps, logged, services, list: new ServiceList(services, log), log }
}

test('start() starts in the order of the list, stop() stops in reverse', async () => {
  const { list, steps } = openList(['a', 'b', 'c'])
  await list.start()
  await list.stop()
  expect(steps).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a'])
})

test('a start that fails stops those that run, in reverse, and throws its error', async () => {
  const { list, steps } = openList(['a', 'b', 'c', 'd'], ['start c'])
  await expect(list.start()).rejects.toThrow('failed: start c')
  expect(steps).toEqual(['start a', 'start b', 'start c', 'stop b', 'stop a'])
  await list.stop()
  expect(steps).toHaveLength(5)
})

test('a start that fails throws its own error even if a stop fails after it', async () => {
  const { list, steps, logged } = openList(['a', 'b', 'c'], ['start c', 'stop b'])
  await expect(list.start()).rejects.toThrow('failed: start c')
  expect(steps.slice(3)).toEqual(['stop b', 'stop a'])
  expect(logged).toMatchObject([{ message: 'service did not stop cleanly', service: 'b' }])
})

test('stop() continues past services that fail, logs each and throws the first error', async () => {
  const { list, steps, logged } = openList(['a', 'b', 'c'], ['stop c', 'stop a'])
  await list.start()
  await expect(list.stop()).rejects.toThrow('failed: stop c')
  expect(steps.slice(3)).toEqual(['stop c', 'stop b', 'stop a'])
  expect(logged).toMatchObject([
    { level: 'error', message: 'service did not stop cleanly', service: 'c' },
    { level: 'error', message: 'service did not stop cleanly', service: 'a' },
  ])
})

test('stop() without start() stops only services that run as soon as they are created', async () => {
  const { list, steps, services, log } = openList(['a', 'b'])
  await list.stop()
  expect(steps).toEqual([])
  const built: Service = { name: 'built', stop: () => void steps.push('stop built') }
  await new ServiceList([built, ...services], log).stop()
  expect(steps).toEqual(['stop built'])
})

test('stop() called twice stops each service once, and both calls wait for the end', async () => {
  const { list, steps } = openList(['a', 'b'])
  await list.start()
  const first = list.stop()
  await list.stop()
  expect(steps).toEqual(['start a', 'start b', 'stop b', 'stop a'])
  await first
})
