import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { Service } from '../../../tests/support/executable/service.ts'
import { until } from '../../../tests/support/until.ts'
import { BELL, FLIP, type Lab, RECALL_REASON, ROTATION } from './plan.ts'

const REGISTERS = `OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit[2] a; bit[1] b;
x q[0]; h q[2]; a = measure q[0:1]; b[0] = measure q[2];`

/** Jobs that run, by the name of their id. */
const RUNS: Readonly<Record<string, object>> = {
  completed: { circuits: [BELL], name: 'bell', tags: ['listed'] },
  labelled: {
    circuits: [
      { circuit: BELL, name: 'bell', metadata: { delay: 1e-6, label: 'é' } },
      { circuit: FLIP, name: 'flip', shots: 10 },
    ],
  },
  swept: { circuits: [{ circuit: ROTATION, parameter_values: [[0], [Math.PI / 2], [Math.PI]] }] },
  rotated: { circuits: [{ circuit: ROTATION, parameter_values: [[1]] }] },
  packed: { circuits: [REGISTERS], shots: 20, memory: true, memory_format: 'packed' },
  hex: { circuits: [REGISTERS], shots: 20, memory: true },
  points: { circuits: [BELL], shots: 5, meas_level: 1 },
  averaged: { circuits: [BELL], shots: 5, meas_level: 1, meas_return: 'avg' },
  registers: { circuits: [REGISTERS] },
  exact: { circuits: [REGISTERS], shots: undefined, exact: true },
  observed: {
    circuits: [{ circuit: BELL, expectation_values: [{ ZZ: 1 }] }],
    shots: undefined,
    exact: true,
  },
}

/** Jobs of a device that miscounts as their comment says. */
const MISCOUNTS: Readonly<Record<string, string>> = {
  discarded: 'extra=-3 discarded=3',
  all_discarded: 'extra=-100 discarded=100',
  invalid_results: 'extra=5',
  calibrated: 'device_file',
}
const MISCOUNT = 'miscount.ts'

/** A server with drivers and with everything that the planned cases name. */
export async function openLab(folder: string): Promise<Lab> {
  const service = await Service.install(folder)
  await service.start()
  const user = await service.createUser(1_000)
  const token = await service.admin()
  const ids: Record<string, string> = {}
  const make = async (path: string, body: object, by = token) => {
    const made = await service.call<{ id: string }>('POST', path, { token: by, body })
    if (made.status > 201) throw new Error(`${path}: ${JSON.stringify(made.body)}`)
    return made.body.id
  }
  const submit = (body: object) => make('/api/jobs', { shots: 100, seed: 7, ...body }, user.token)
  const ended = (id: string) =>
    until(`job ${id} to end`, async () => {
      const { body } = await service.call('GET', `/api/jobs/${id}`, { token: user.token })
      return ['completed', 'failed'].includes(String(body['status']))
    })

  const simulator = await service.createQpu('simulator')
  const faulty = await service.createQpu('faulty')
  const recalled = await service.createQpu('recalled')
  const miscounting = await service.createQpu('miscounting')
  cpSync(join(import.meta.dir, '../../../tests/support/devices', MISCOUNT), join(folder, MISCOUNT))
  const drivers = [
    service.startDriver('simulator', simulator, 'aer_sim'),
    service.startDriver('recalled', recalled, 'mock'),
    service.startDriver('faulty', faulty, 'mock', ['fail=error']),
    service.startDriver('miscounting', miscounting, `./${MISCOUNT}#miscount`),
  ]
  await service.untilOnline('simulator')
  await service.untilOnline('recalled')
  await service.untilOnline('faulty')
  await service.untilOnline('miscounting')
  for (const name of ['silent', 'second', 'bench', 'disabled', 'serviced'])
    ids[name] = (await service.createQpu(name)).id
  await make('/api/op/qpu/toggle', { id: ids['disabled'], enabled: false })
  await make('/api/op/qpu/maintenance', { id: ids['serviced'], maintenance: true, reason: 'warm' })
  const driver = { qpu: 'bench', operation: 'monitor', name: 'thermometer' }
  ids['driver'] = await make('/api/op/drivers/create', driver)
  ids['tuner'] = await make('/api/op/drivers/create', { ...driver, operation: 'calibrate', name: 'tuner' })
  ids['session'] = await make('/api/sessions', { qpu_target: 'bench', seconds: 600 }, user.token)
  ids['token'] = await make('/api/tokens', { name: 'old' }, user.token)
  const note = { text: 'Refill', at: new Date().toISOString() }
  ids['note'] = await make('/api/collections/notes/records', note)

  for (const [name, body] of Object.entries(RUNS))
    ids[name] = await submit({ qpu_target: 'simulator', ...body })
  ids['failed'] = await submit({ circuits: [BELL], qpu_target: 'faulty', tags: ['listed'] })
  ids['failed_part'] = await submit({ circuits: [FLIP, BELL], qpu_target: 'faulty' })
  for (const [name, comment] of Object.entries(MISCOUNTS)) {
    const circuit = `// ${comment}\nOPENQASM 3.0; qubit q; bit[2] c; c[0] = measure q;`
    ids[name] = await submit({ circuits: [circuit], qpu_target: 'miscounting' })
  }
  for (const name of [...Object.keys(RUNS), ...Object.keys(MISCOUNTS), 'failed', 'failed_part'])
    await ended(ids[name] ?? '')
  ids['recalled'] = await submit({ circuits: [BELL], qpu_target: 'recalled' })
  await ended(ids['recalled'])
  const { body: ran } = await service.call('GET', `/api/jobs/${ids['recalled']}`, { token: user.token })
  const interval = { from: ran['started_at'], to: new Date().toISOString() }
  await make('/api/op/recalls', { qpu: 'recalled', reason: RECALL_REASON, ...interval })
  for (const name of ['pending', 'cancelled', 'to_cancel', 'operated'])
    ids[name] = await submit({
      circuits: [BELL],
      qpu_target: 'silent',
      tags: ['listed'],
      give_up_after: '5h',
    })
  await make(`/api/jobs/${ids['cancelled']}/cancel`, {}, user.token)
  await make('/api/op/qpu/drain', { id: simulator.id, drain: true })
  for (const name of ['to_wait', 'to_survive']) {
    ids[name] = await submit({ circuits: [BELL], qpu_target: 'simulator' })
    await make(`/api/op/jobs/${ids[name]}/hold`, {})
  }
  await make('/api/op/qpu/drain', { id: simulator.id, drain: false })
  const close = async () => {
    for (const driver of drivers) driver.kill()
    await service.stop('SIGKILL')
  }
  return { service, user, ids, close }
}
