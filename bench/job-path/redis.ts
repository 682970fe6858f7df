import { RedisClient } from 'bun'
import { freePort } from '../../tests/support/free-port.ts'
import { until } from '../../tests/support/until.ts'
import { type Contestant, drainBy, fillBy, PAYLOAD, RESULT } from './contestant.ts'

/**
 * A stream of Redis with `appendfsync always`: `XADD`, `XREADGROUP` of one job, and `XACK` together with the
 * `XADD` of the result. The workers are connections of this process.
 */
export async function redis(folder: string, width: number): Promise<Contestant> {
  const port = freePort()
  const options = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--dir', folder]
  const started = Bun.spawn(['redis-server', '--port', String(port), '--bind', '127.0.0.1', ...options], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const url = `redis://127.0.0.1:${port}`
  const connect = async () => {
    const client = new RedisClient(url)
    await client.connect()
    return client
  }
  let main: RedisClient | undefined
  await until('Redis to respond', async () => {
    main = await connect()
    return true
  })
  const client = main ?? (await connect())
  await client.send('XGROUP', ['CREATE', 'jobs', 'workers', '$', 'MKSTREAM'])
  const workers = await Promise.all(Array.from({ length: width }, connect))
  const add = () => client.send('XADD', ['jobs', '*', 'payload', PAYLOAD])
  const step = async (own: RedisClient, name: string) => {
    const found = await own.send('XREADGROUP', [
      ...['GROUP', 'workers', name, 'COUNT', '1', 'STREAMS', 'jobs', '>'],
    ])
    // `{stream: [[id, fields]]}` or `[[stream, [[id, fields]]]]`, by version of the protocol.
    const entries = found && (Array.isArray(found) ? found[0]?.[1] : Object.values(found)[0])
    const id = entries?.[0]?.[0]
    if (id === undefined) return false
    await Promise.all([
      own.send('XADD', ['results', '*', 'job', id, 'result', RESULT]),
      own.send('XACK', ['jobs', 'workers', id]),
    ])
    return true
  }
  return {
    server: [started.pid],
    workers: [process.pid],
    fill: (count) => fillBy(count, add),
    drain: () => drainBy(width, (worker) => step(workers[worker] ?? client, `worker ${worker}`)),
    async runOne() {
      const begun = performance.now()
      await add()
      await step(workers[0] ?? client, 'worker 0')
      return performance.now() - begun
    },
    async [Symbol.asyncDispose]() {
      for (const each of [client, ...workers]) each.close()
      started.kill()
      await started.exited
    },
  }
}
