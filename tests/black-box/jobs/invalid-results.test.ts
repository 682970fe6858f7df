import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { startSvc } from '../../support/executable/background-process.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import { balanceOf, submit, timesOf, untilJob } from '../../support/executable/job-calls.ts'
import { PYTHON_ENV, skipsPython } from '../../support/python/devices.ts'

setDefaultTimeout(120_000)

const { service, user } = await openFileService()
const FOLDER = join(import.meta.dir, '../../support/devices')

beforeAll(() => {
  for (const file of ['miscount.ts', 'miscount.py']) cpSync(join(FOLDER, file), join(service.folder, file))
})
afterAll(() => service.stop())

/** A device that counts `extra` shots more than there are, by language. */
const DEVICES: [language: string, device: string, isSkipped: boolean][] = [
  ['TypeScript', './miscount.ts#miscount', false],
  ['Python', 'miscount:Miscount', skipsPython('a device in Python that miscounts')],
]

for (const [language, device, isSkipped] of DEVICES) {
  test.skipIf(isSkipped)(
    `a device in ${language} that returns too few or too many counts fails its jobs`,
    async () => {
      const name = `miscount_${language.toLowerCase()}`
      const qpu = await service.createQpu(name)
      const args = service.driverArgs(name, qpu.fingerprint, device)
      const env = { SVC_ACCESS_TOKEN: qpu.token, ...PYTHON_ENV }
      await using driver = startSvc(args, { cwd: service.folder, env })
      await service.untilOnline(name)
      const before = await balanceOf(service, user)
      for (const [comment, figures] of [
        ['extra=5', 'circuit_results.0.counts add up to 105 of 100 shots'],
        ['extra=-99', 'circuit_results.0.counts add up to 1 of 100 shots'],
        ['extra=5 discarded=5', 'circuit_results.0.counts add up to 105 of 100 shots, 5 of them discarded'],
        ['width=3', 'circuit_results.0.counts has an outcome of 3 bits, the program has 2'],
        ['results=2', 'circuit_results has 2 results, the job 1 (circuits × parameter sets)'],
      ]) {
        const circuit = `// ${comment}\nOPENQASM 3.0; qubit q; bit c; bit d; c = measure q;`
        const id = await submit(service, user.token, { circuits: [{ circuit }], qpu_target: name })
        const job = await untilJob(service, user.token, id)
        expect([comment, job.status, job.attempt, job.error?.code]).toEqual([
          comment,
          'failed',
          1,
          'invalid_results',
        ])
        expect(job.error?.message.toLowerCase()).toContain(
          `the results of device miscount contradict the job: ${figures?.toLowerCase()}`,
        )
        expect([job.charged_seconds, timesOf(job, 'device_error')]).toEqual([null, 0])
      }
      expect(await balanceOf(service, user)).toBe(before)
      const good = '// extra=-3 discarded=3\nOPENQASM 3.0; qubit q; bit c; bit d; c = measure q;'
      const id = await submit(service, user.token, { circuits: [{ circuit: good }], qpu_target: name })
      const job = await untilJob(service, user.token, id)
      expect([job.status, job.results?.circuit_results[0]]).toMatchObject([
        'completed',
        { shots: 100, counts: { '00': 97 }, discarded_shots: 3 },
      ])
      expect(driver.process.exitCode).toBe(null)
    },
  )
}

test('a program of which no measurement is executed has as many counts as shots', async () => {
  const qpu = await service.createQpu('simulator')
  const args = service.driverArgs('simulator', qpu.fingerprint, 'aer_sim')
  await using _driver = startSvc(args, { cwd: service.folder, env: { SVC_ACCESS_TOKEN: qpu.token } })
  await service.untilOnline('simulator')
  const loop =
    'OPENQASM 3.0; include "stdgates.inc"; input int n; qubit q; bit[3] c; x q; for int i in [0:n-1] { c[i] = measure q; }'
  const never =
    'OPENQASM 2.0; include "qelib1.inc"; qreg q[1]; creg c[1]; creg d[1]; x q[0]; if(c==1) measure q[0]->d[0];'
  const circuits = [
    { circuit: loop, parameter_values: [[0], [1], [0], [2]] },
    { circuit: never, shots: 7 },
  ]
  const id = await submit(service, user.token, { circuits, qpu_target: 'simulator', memory: true })
  const job = await untilJob(service, user.token, id)
  expect(job.results?.circuit_results.map(({ counts }) => counts)).toEqual([
    { '000': 100 },
    { '001': 100 },
    { '000': 100 },
    { '011': 100 },
    { '00': 7 },
  ])
})
