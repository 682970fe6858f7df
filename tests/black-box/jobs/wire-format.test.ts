import { expect, setDefaultTimeout, test } from 'bun:test'
import { gzipSync, zstdDecompressSync } from 'node:zlib'
import { type JobSeen, untilJob } from '../../support/executable/job-calls.ts'
import { BELL, Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

test('a compressed submission with packed memory returns a compressed result that is the same as hex', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  const { token } = await service.createUser(1_000)
  const qpu = await service.createQpu('packing')
  const driver = service.startDriver('packing', qpu, 'aer_sim')
  const shots = 2_000
  const memories: unknown[] = []
  for (const memory_format of ['hex', 'packed']) {
    const body = JSON.stringify({ circuit: BELL, shots, memory: true, memory_format, seed: 5 })
    const submitted = await fetch(`${service.url}/api/jobs`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(body),
    })
    expect(submitted.status).toBe(201)
    const { id } = (await submitted.json()) as { id: string }
    await untilJob(service, token, id)
    const headers = { authorization: token, 'accept-encoding': 'zstd' }
    const response = await fetch(`${service.url}/api/jobs/${id}`, { headers, decompress: false })
    expect(response.headers.get('content-encoding')).toBe('zstd')
    const text = zstdDecompressSync(new Uint8Array(await response.arrayBuffer())).toString()
    const { results } = JSON.parse(text) as JobSeen & { results: { circuit_results: { memory: unknown }[] } }
    memories.push(results.circuit_results[0]?.memory)
  }
  const [hex, packed] = memories
  const bytes = Buffer.from(String(packed), 'base64')
  expect([...bytes].map((byte) => `0x${byte.toString(16)}`)).toEqual(hex as string[])
  expect(bytes).toHaveLength(shots)
  driver.kill('SIGTERM')
  await driver.exited
})
