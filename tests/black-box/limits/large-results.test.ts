import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Result } from '../../../clients/js/src/result.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { surfaceCode } from './surface-code.ts'

setDefaultTimeout(300_000)

const { service, user } = await openFileService()
afterAll(() => service.stop())
const qpu = await service.createQpu('kelvin')
const args = service.driverArgs('kelvin', qpu.fingerprint, 'aer_sim', ['job_timeout=60'])
const driver = startSvc(args, { cwd: service.folder, env: { SVC_ACCESS_TOKEN: qpu.token } })
afterAll(() => driver[Symbol.asyncDispose]())
await service.untilOnline('kelvin')

const { program, bits } = surfaceCode(11)
const run = async (body: object) => {
  const id = await submit(service, user.token, { shots: 10_000, qpu_target: 'kelvin', ...body })
  return untilJob(service, user.token, id, undefined, 120_000)
}

test('the surface code of distance 11 with 10,000 shots completes with packed memory, without counts', async () => {
  const packed = { memory: true, memory_format: 'packed' }
  const { id, status, error, results } = await run({ circuits: [{ circuit: program }], ...packed })
  expect([status, error]).toEqual(['completed', null])
  const [raw] = results?.circuit_results ?? []
  expect([raw?.header.memory_slots, raw?.counts, 'counts' in (results ?? {})]).toEqual([
    bits,
    undefined,
    false,
  ])
  expect(raw).toMatchObject({ shots: 10_000, counts_omitted: true })
  // The client counts the shots.
  const counts = Object.entries(new Result(id, results as never).counts())
  expect(counts.reduce((sum, [, shots]) => sum + shots, 0)).toBe(10_000)
  expect(new Set(counts.map(([outcome]) => outcome.length))).toEqual(new Set([bits]))
})

test('all circuits of a job have the same form, in whatever threads they run', async () => {
  const circuits = Array.from({ length: 6 }, () => ({ circuit: surfaceCode(7).program, shots: 5_000 }))
  const { status, results } = await run({ circuits, memory: true, memory_format: 'packed' })
  expect(status).toBe('completed')
  expect(results?.circuit_results.map((each) => 'counts' in each)).toEqual(circuits.map(() => false))
})

test('without packed memory it ends as soon as its outcomes are too large, with an error that names it', async () => {
  const job = await run({ circuits: [{ circuit: program }] })
  expect([job.status, job.error?.code]).toEqual(['failed', 'results_too_large'])
  expect(job.error?.message).toContain('Ask for memory with memory_format packed')
})
