import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROUTINES } from '../../../src/devices/tuning/routine-names.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import { drawSimulatedChip } from '../../support/executable/chip-files.ts'
import { Service } from '../../support/executable/service.ts'
import { PYTHON_ENV } from '../../support/python/devices.ts'
import { openClientPython } from '../../support/python/python.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { designFile } from '../../support/tuning/acceptance/design-file.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(180_000)

const ROOT = join(import.meta.dir, '../../..')
const python = await openClientPython()

/** Two routines, each of which says that it runs; the second one waits until it may end. */
const LAB = `
import pathlib, time
from svc_driver.tuning import Axis, Fit, Routine, Schedule, Value

HERE = pathlib.Path(__file__).parent

class First(Routine):
    reads = ["clock_freqs.readout", "measure.acq_delay"]
    optional_writes = {"lab.slope": "1/s"}
    axes = {"duration": Axis("s", min=0, max=1e-4)}

    def measure(self, context):
        with open(HERE / "runs.txt", "a") as file:
            file.write(type(self).__name__ + "\\n")
        return super().measure(context)

    def sweep(self, context):
        return context.axis("duration", 1e-6, 2e-6, 9)

    def signal(self, context, schedules):
        return [abs(each) for each in context.averages(schedules, 10)]

    def accept(self, context, fit):
        return {}

    def schedule(self, context, duration):
        return Schedule().delay(context.target, duration).measure(context.target)

    def fit(self, context, x, y):
        line = [1e5 * each for each in x]
        values = {"lab.slope": Value(1e5, 1e3)}
        return Fit(x, line, line, values, parameters=1, model="line", x_name="duration", x_unit="s")

class Second(First):
    optional_writes = {"lab.other": "1/s"}

    def measure(self, context):
        found = super().measure(context)
        while not (HERE / "gate").exists():
            time.sleep(0.05)
        return found

    def fit(self, context, x, y):
        found = super().fit(context, x, y)
        found.values = {"lab.other": found.values["lab.slope"]}
        return found
`
const BUILT_IN = ['resonator_spectroscopy', 'time_of_flight']

/** A calibration file with two built-in routines and those of the lab. */
function configText(): string {
  const disabled = ROUTINES.filter(({ name }) => !BUILT_IN.includes(name))
  return `version: 1
routines:
${disabled.map(({ name }) => `  ${name}: {enabled: false}`).join('\n')}
  lab:First: {after: time_of_flight}
  lab:Second: {after: time_of_flight}
`
}

const READ = `
import sys
import xarray
from svc_client import SvcClient

url, token, id = sys.argv[1:]
with SvcClient(url, token) as svc:
    data = svc.calibrations.get(id).to_xarray()
data.to_netcdf("calibration.nc")
with xarray.open_dataset("calibration.nc") as kept:
    xarray.testing.assert_identical(kept.load(), data)
print(data.attrs["status"], data.attrs["backend"])
print(*sorted(data.data_vars))
trace = data["first_q0"]
print(dict(trace.sizes), trace.attrs["routine"], trace.attrs["model"], data["duration_first_q0"].attrs["units"])
print(*[f"{name} {unit}" for name, unit in zip(data["parameter"].values, data["parameter_unit"].values)])
print(float(data["value"].sel(parameter="q0.lab.other")))
`

interface RequestSeen {
  id: string
  status: string
  error: string
  result: string
}

describe.skipIf(!python)('a calibration with routines in Python', () => {
  test('is continued by a server after a stop, and its report opens in xarray and NetCDF', async () => {
    using folder = temporaryFolder()
    await using service = await Service.install(folder.path)
    await service.start()
    const admin = await service.admin()
    const qpu = await service.createQpu('kelvin')
    const made = await service.call<{ id: string; token: string }>('POST', '/api/op/drivers/create', {
      token: admin,
      body: { name: 'tuner', qpu: qpu.id, operation: 'calibrate' },
    })
    const at = (name: string) => join(folder.path, name)
    const device = designFile({ columns: 1, rows: 1 })
    writeFileSync(at('scheduler.device.yml'), device)
    writeFileSync(at('calibration.yml'), configText())
    writeFileSync(at('lab.py'), LAB)
    const options = [
      ...[
        `scheduler_device_config=${at('scheduler.device.yml')}`,
        `calibration_config=${at('calibration.yml')}`,
      ],
      'is_simulated=true',
    ]
    const args = service.driverArgs('tuner', qpu.fingerprint, 'scheduler_a_tuner', options, 'calibrate')
    await drawSimulatedChip(at('drivers/tuner/data'), device, 7)
    const start = () =>
      startSvc([...args, '--python', python ?? ''], {
        cwd: folder.path,
        env: { SVC_ACCESS_TOKEN: made.body.token, ...PYTHON_ENV },
      })
    const dispatch = async (body: object) => {
      const path = '/api/op/calibrate/dispatch'
      const response = await service.call<RequestSeen>('POST', path, { token: admin, body })
      if (response.status !== 201) throw new Error(JSON.stringify(response.body))
      return response.body.id
    }
    const ended = (id: string) =>
      until(`request ${id} to end`, async () => {
        const path = `/api/collections/calibration_requests/records/${id}`
        const { body } = await service.call<RequestSeen>('GET', path, { token: admin })
        return ['done', 'failed'].includes(body.status) && body
      })
    const reportOf = async ({ result }: RequestSeen) => {
      const path = `/api/collections/calibration_results/records/${result}`
      return (await service.call<{ status: string; notes: string[] }>('GET', path, { token: admin })).body
    }
    const runs = () =>
      existsSync(at('runs.txt')) ? readFileSync(at('runs.txt'), 'utf8').trim().split('\n') : []

    let first = ''
    {
      await using driver = start()
      first = await dispatch({ driver_id: made.body.id, mode: 'full' })
      await until('the second routine to run', async () => runs().length === 2)
      driver.process.kill('SIGTERM')
      expect((await driver.ended()).status).toBe(0)
    }
    expect((await reportOf(await ended(first))).status).toBe('aborted')

    writeFileSync(at('gate'), '')
    await using driver = start()
    const second = await dispatch({ resume: first })
    const request = await ended(second)
    expect([request.status, request.error, driver.log.includes('Traceback')]).toEqual(['done', '', false])
    // Only what the stop had interrupted is measured again.
    expect(runs()).toEqual(['First', 'Second', 'Second'])
    const { notes } = await reportOf(request)
    expect(notes).toContain(`continues request ${first}: 3 steps are as that run had finished them`)

    const { body: key } = await service.call<{ token: string }>('POST', '/api/tokens', {
      token: (await service.createUser(10)).token,
      body: { name: 'notebook' },
    })
    const PYTHONPATH = join(ROOT, 'clients/python/src')
    const reader = Bun.spawn([python ?? '', '-c', READ, service.url, key.token, second], {
      ...{ cwd: folder.path, env: { PATH: '/usr/bin:/bin', PYTHONPATH, HOME: folder.path } },
      ...{ stdout: 'pipe', stderr: 'pipe' },
    })
    const [out, errors] = await Promise.all([
      new Response(reader.stdout).text(),
      new Response(reader.stderr).text(),
    ])
    expect(errors).toBe('')
    const traces = ['first_q0', 'resonator_spectroscopy_q0', 'second_q0', 'time_of_flight_q0']
    expect(out.trim().split('\n')).toEqual([
      'success scheduler_a_tuner+simulated',
      ['error', ...traces.flatMap((name) => [name, `${name}_curve`]), 'value'].join(' '),
      "{'duration_first_q0': 9} first line s",
      'q0.clock_freqs.readout Hz q0.resonator.linewidth Hz q0.measure.acq_delay s q0.lab.slope 1/s q0.lab.other 1/s',
      '100000.0',
    ])
  })
})
