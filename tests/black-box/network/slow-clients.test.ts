import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Service } from '../../support/executable/service.ts'
import { closeRow, faultRuns } from '../../support/faults/fault-runs.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// Row H4 of docs/reference/faults.md: clients that hold connections and send nothing, or too little.
setDefaultTimeout(120_000)

const COUNT = faultRuns(200)

const folder = temporaryFolder()
let service: Service
let httpsPort: number

beforeAll(async () => {
  httpsPort = freePort()
  service = await Service.install(folder.path, { flags: ['--https-port', String(httpsPort)] })
  await service.start()
})

afterAll(async () => {
  await service.stop()
  folder[Symbol.dispose]()
})

/**
 * A connection that sends `first`, then `more` each second; resolves with the ms until the server closes it.
 */
function hold(port: number, first: string | Uint8Array, more = ''): Promise<number> {
  return new Promise((resolve) => {
    const opened = performance.now()
    const socket = connect({ host: '127.0.0.1', port })
    const drip = more ? setInterval(() => socket.write(more), 1_000) : undefined
    socket.on('error', () => undefined)
    socket.on('data', () => undefined)
    socket.on('close', () => {
      clearInterval(drip)
      resolve(performance.now() - opened)
    })
    if (first.length > 0) socket.write(first)
  })
}

/** Resident memory of the server in MiB. */
function memory(): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

test('clients that never complete a request are cut off, and block no others', async () => {
  const head = 'POST /api/jobs HTTP/1.1\r\nHost: x\r\n'
  // The beginning of a TLS record that announces 512 bytes.
  const hello = Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01)
  const kinds: [what: string, port: number, first: string | Uint8Array, more?: string][] = [
    ['silent', service.port, ''],
    ['half a request line', service.port, 'POST /api/jo'],
    ['half a head', service.port, head],
    ['a header each second', service.port, head, 'X-Drip: 1\r\n'],
    ['a byte each second', service.port, `${head}X-Drip: `, 'x'],
    ['silent before TLS', httpsPort, ''],
    ['half a TLS hello', httpsPort, hello],
  ]
  const before = memory()
  const held = kinds.map(async ([what, port, first, more]) => {
    const each = Math.ceil(COUNT / kinds.length)
    const times = await Promise.all(Array.from({ length: each }, () => hold(port, first, more)))
    return [what, Math.max(...times)] as const
  })
  let slowest = 0
  let most = before
  let isOver = false
  const others = (async () => {
    while (!isOver) {
      const started = performance.now()
      expect((await fetch(`${service.url}/api/health`)).status).toBe(200)
      slowest = Math.max(slowest, performance.now() - started)
      most = Math.max(most, memory())
      await Bun.sleep(100)
    }
  })()
  const ends = await Promise.all(held)
  isOver = true
  await others
  closeRow('H4', {
    connections: COUNT,
    'MiB more while held': Math.round(most - before),
    'slowest response to others in ms': Math.round(slowest),
    ...Object.fromEntries(ends.map(([what, ms]) => [what, `${(ms / 1000).toFixed(1)} s`])),
  })
})
