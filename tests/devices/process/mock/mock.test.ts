import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { JobError } from '../../../../src/devices/index.ts'
import { pickFault, readLatency, readPragma } from '../../../../src/devices/process/mock/faults.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { until } from '../../../support/until.ts'
import { ioOf, openProcess, payloadOf, runJob } from '../../support/jobs.ts'

const COIN = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; h q; c = measure q;'

const jobOf = (circuit = COIN, id = 'a', attempt = 1) => ({ id, attempt, payload: payloadOf([circuit]) })

test('mock without a seed depends on the job id only', async () => {
  const device = await openProcess('mock')
  const first = await runJob(device, payloadOf([COIN]), 'job-a')
  const again = await runJob(device, payloadOf([COIN]), 'job-a')
  const other = await runJob(device, payloadOf([COIN]), 'job-b')
  expect(again.counts).toEqual(first.counts ?? {})
  expect(again.metadata['seed']).toBe(first.metadata['seed'])
  expect(other.metadata['seed']).not.toBe(first.metadata['seed'])
})

test('mock returns the recorded counts for a seed', async () => {
  const device = await openProcess('mock', ['seed=42'])
  const circuit =
    'OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit[3] c; h q; ry(1) q[1]; c = measure q;'
  const { counts } = await runJob(device, payloadOf([circuit], { shots: 1_000 }))
  const expected = {
    '000': 17,
    '001': 19,
    '010': 259,
    '011': 214,
    '100': 17,
    '101': 26,
    '110': 215,
    '111': 233,
  }
  expect(counts).toEqual(expected)
})

test('mock refuses more qubits than num_qubits, naming both', async () => {
  const device = await openProcess('mock', ['num_qubits=3'])
  const circuit = 'OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit c; h q[0]; c = measure q[0];'
  await expect(device.run(jobOf(circuit), ioOf())).rejects.toMatchObject({
    message: 'circuit 0 has 4 qubits; mock has 3',
    errorCode: 'too_many_qubits',
  })
})

test('mock reads bits wrongly at the rate of readout_error', async () => {
  const device = await openProcess('mock', ['readout_error=0.25', 'seed=1'])
  const circuit = 'OPENQASM 3.0; qubit q; bit c; c = measure q;'
  const { counts } = await runJob(device, payloadOf([circuit], { shots: 10_000 }))
  expect(Math.abs((counts?.['1'] ?? 0) - 2_500)).toBeLessThan(200)
})

test('mock takes the time of latency and stops waiting when cancelled', async () => {
  const clock = new FakeClock()
  const device = await openProcess('mock', ['latency=0.05:0.06'], clock)
  let hasReturned = false
  const waiting = runJob(device, payloadOf([COIN])).then(() => {
    hasReturned = true
  })
  await until('the job waits', () => clock.sleepers === 1)
  await clock.advance(49)
  expect(hasReturned).toBe(false)
  await clock.advance(11)
  await waiting
  const slow = await openProcess('mock', ['latency=30'])
  const abort = new AbortController()
  const running = slow.run(jobOf(), ioOf(60_000, abort.signal))
  abort.abort(new Error('cancelled'))
  await expect(running).rejects.toThrow('cancelled')
})

test('mock ends the circuits of a job in the course of the latency', async () => {
  const clock = new FakeClock()
  const device = await openProcess('mock', ['latency=0.3'], clock)
  const reported: number[] = []
  const io = { ...ioOf(), result: (index: number) => void reported.push(index) }
  const running = device.run({ id: 'a', attempt: 1, payload: payloadOf([COIN, COIN, COIN]) }, io)
  for (const ended of [[0], [0, 1], [0, 1, 2]]) {
    await until('the job waits', () => clock.sleepers === 1)
    await clock.advance(100)
    expect(reported).toEqual(ended)
  }
  await running
})

test('mock with fail=error fails each job as a device would', async () => {
  const device = await openProcess('mock', ['fail=error'])
  const error = await device.run(jobOf(), ioOf()).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(JobError)
  expect(error).toMatchObject({ class: 'device', errorCode: 'injected_fault', executed: true })
})

test('mock with fail=garbage returns results that the check refuses', async () => {
  const device = await openProcess('mock', ['fail=garbage'])
  await expect(runJob(device, payloadOf([COIN]))).rejects.toThrow(
    'The device returned a value that is not a finite number at shots',
  )
})

test('mock with fail=init cannot be opened', async () => {
  await expect(openProcess('mock', ['fail=init'])).rejects.toThrow('fail=init')
})

test('mock with fail=hang never returns', async () => {
  const clock = new FakeClock()
  const device = await openProcess('mock', ['fail=hang', 'latency=1'], clock)
  const abort = new AbortController()
  let hasReturned = false
  const end = () => {
    hasReturned = true
  }
  device.run(jobOf(), ioOf(10_000, abort.signal)).then(end, end)
  await until('the job waits', () => clock.sleepers === 1)
  await clock.advance(3_600_000)
  abort.abort(new Error('out of time'))
  await clock.advance(3_600_000)
  expect(hasReturned).toBe(false)
})

test('mock with fail=slow_result returns a second after the deadline, despite the abort signal', async () => {
  const clock = new FakeClock()
  const device = await openProcess('mock', ['fail=slow_result'], clock)
  const abort = new AbortController()
  let hasReturned = false
  const io = { signal: abort.signal, deadline: clock.monotonic() + 500, phase: () => undefined }
  const running = device.run(jobOf(), io).then(() => {
    hasReturned = true
  })
  await clock.advance(0)
  await clock.advance(500)
  abort.abort(new Error('out of time'))
  await clock.advance(999)
  expect(hasReturned).toBe(false)
  await clock.advance(1)
  await running
  expect(hasReturned).toBe(true)
})

test('mock with fail=crash ends its process', async () => {
  const script = `
    import { openProcess, payloadOf, ioOf } from ${JSON.stringify(join(import.meta.dir, '../../support/jobs.ts'))}
    const device = await openProcess('mock', ['fail=crash'])
    await device.run({ id: 'a', attempt: 1, payload: payloadOf([${JSON.stringify(COIN)}]) }, ioOf())
    console.log('alive')`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'ignore' })
  expect(await new Response(child.stdout).text()).toBe('')
  expect(await child.exited).not.toBe(0)
  expect(child.signalCode).toBe('SIGABRT')
})

test('mock with fail_every fails every n-th job, with fail_on those that contain the text', async () => {
  const device = await openProcess('mock', ['fail_every=3', 'fail_on=poison'])
  const outcomes: boolean[] = []
  const circuits = [COIN, COIN, COIN, COIN, `${COIN} // poison`, COIN]
  for (const circuit of circuits) {
    outcomes.push(
      await device.run(jobOf(circuit), ioOf()).then(
        () => true,
        () => false,
      ),
    )
  }
  expect(outcomes).toEqual([true, true, false, true, false, false])
})

test('mock follows comments in a circuit only with pragmas=true', async () => {
  const circuit = `// svc-mock: fail=error attempts=1\n${COIN}`
  const plain = await openProcess('mock')
  await expect(plain.run(jobOf(circuit), ioOf())).resolves.toBeObject()
  const obedient = await openProcess('mock', ['pragmas=true'])
  await expect(obedient.run(jobOf(circuit), ioOf())).rejects.toThrow('on purpose')
  await expect(obedient.run(jobOf(circuit, 'a', 2), ioOf())).resolves.toBeObject()
})

test('pickFault() fails the fraction fail_rate of the jobs, the same ones each time', () => {
  const plan = { fail: 'none', failRate: 0.3 } as const
  const faults = Array.from({ length: 2_000 }, (_, i) => pickFault(plan, jobOf(COIN, `job${i}`), 1))
  const failed = faults.filter((fault) => fault === 'error').length
  expect(Math.abs(failed - 600)).toBeLessThan(90)
  expect(pickFault(plan, jobOf(COIN, 'job7'), 9)).toBe(faults[7] ?? 'none')
})

test('pickFault() without a selector fails every job with the configured fault', () => {
  expect(pickFault({ fail: 'hang' }, jobOf(), 1)).toBe('hang')
  expect(pickFault({ fail: 'none' }, jobOf(), 1)).toBe('none')
  expect(pickFault({ fail: 'crash', failEvery: 2 }, jobOf(), 1)).toBe('none')
  expect(pickFault({ fail: 'crash', failEvery: 2 }, jobOf(), 2)).toBe('crash')
})

test('readLatency() reads seconds and ranges only', () => {
  expect(readLatency('2')).toEqual({ min: 2, max: 2 })
  expect(readLatency('0.5:2')).toEqual({ min: 0.5, max: 2 })
  for (const text of ['', 'x', '2:1', '1:2:3', '-1', '1e3'])
    expect(() => readLatency(text)).toThrow('is not a time')
})

test('readPragma() reads the known words', () => {
  expect(readPragma(jobOf('// svc-mock: fail=crash latency=0.5 color=red\nh q;'))).toEqual({
    fail: 'crash',
    latency: { min: 0.5, max: 0.5 },
  })
  expect(readPragma(jobOf('// svc-mock: fail=melt'))).toEqual({})
  expect(readPragma(jobOf('h q;'))).toEqual({})
})
