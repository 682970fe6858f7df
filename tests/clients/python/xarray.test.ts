import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { RawDataFolder } from '../../../src/devices/bench/raw-data/raw-data-folder.ts'
import { RawDataSpace } from '../../../src/devices/bench/raw-data/raw-data-space.ts'
import { RunRecorder } from '../../../src/devices/bench/raw-data/run-recorder.ts'
import { reportTrace } from '../../../src/devices/tuning/report/limits.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openClientPython } from '../../support/python/python.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(120_000)

const ROOT = join(import.meta.dir, '../../..')
const python = await openClientPython()

/** What a script prints, which the packages of this repository and xarray can be imported by. */
async function printed(folder: string, script: string): Promise<string> {
  const PYTHONPATH = ['drivers/python/src', 'clients/python/src'].map((path) => join(ROOT, path)).join(':')
  const child = Bun.spawn([python ?? '', '-c', script], {
    ...{
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', PYTHONPATH, HOME: folder },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  })
  const [out, errors] = [new Response(child.stdout).text(), new Response(child.stderr).text()]
  await child.exited
  expect(await errors).toBe('')
  return await out
}

describe.skipIf(!python)('data of calibrations in xarray', () => {
  // One process: it imports for seconds.
  test('open_run() opens raw data, and CalibrationReport.to_xarray() traces, values and fidelities', async () => {
    using folder = temporaryFolder()
    const clock = new FakeClock()
    const space = new RawDataSpace({ folder: folder.path, clock, log: silentLog })
    const options = { space, run: 'run1', backend: 'scheduler_a_tuner+simulated', clock }
    const recorder = new RunRecorder(new RawDataFolder(options), silentLog)
    const window = { at: 0, duration: 4, port: 'q0:res' as const, frequency: 6e9, qubit: 'q0' }
    const point = { duration: 8, pulses: [], acquisitions: [window] }
    const labels = { routine: 't1', targets: ['q0'], attempt: 1, sweeps: { q0: { delay: [0, 1e-6] } } }
    const program = { shots: 3, reset_ns: 100, points: [point, point], labels }
    const mean = (re: number, im: number) => [{ re, im }]
    await recorder.add({ ...program, kind: 'average' }, [mean(1, 2), mean(3, 4)])
    const shots = () => [{ i: Float64Array.of(1, 2, 3), q: Float64Array.of(4, 5, 6) }]
    await recorder.add({ ...program, kind: 'shots' }, [shots(), shots()])
    const opened = `
from svc_driver import open_run
data = open_run("run1")
first, second = data["00001-q0"], data["00002-q0"]
print(first.dims, first.attrs["units"], first.attrs["routine"], first.attrs["targets"])
print(first.sel(quadrature="q").values.ravel().tolist(), data["delay_1"].values.tolist())
print(second.dims, second.isel(point_2=0, acquisition_2=0).sel(quadrature="i").values.tolist())
print(data.attrs["run"], data.attrs["backend"], sorted(type(value).__name__ for value in first.attrs.values()))
`
    const delay = { name: 'delay', unit: 's', values: [0, 1e-6, 2e-6] }
    const line = {
      ...{
        kind: 'line' as const,
        model: 'decay',
        x: delay,
        y: [1, Number.NaN, 0.1],
        y_name: 'P1',
        y_unit: '',
      },
      ...{ curve: [1, 0.4, 0.1], params: { t1: [1.1e-6, 1e-8] as [number, number] }, points: 3 },
    }
    const map = {
      ...{ kind: 'map' as const, model: 'chevron', x: delay, z: [1, 2, 3, 4, 5, 6] },
      y: { name: 'frequency', unit: 'Hz', values: [1e6, 2e6] },
    }
    const iq = {
      ...{
        kind: 'iq' as const,
        model: 'discriminator',
        unit: 'V',
        centroids: [[0, 0]] as [number, number][],
      },
      ...{ states: [{ label: '0', i: [1, 2], q: [3, 4] }], assignment: [[1]] },
    }
    const routine = (name: string, target: string, fit: object, more: object = {}) => ({
      ...{ routine: name, target, status: 'success', fit, ...more },
    })
    const found = { 'coherence.t1': { value: 1.1e-6, error: 1e-8, unit: 's' } }
    const report = {
      ...{
        id: 'report000000001',
        qpu: 'qpu',
        mode: 'full',
        status: 'success',
        started_at: '',
        notes: ['note'],
      },
      routines: [
        routine('t1', 'q0', reportTrace(line), { parameters: found }),
        routine('t1', 'q0', reportTrace(line), { superseded: true }),
        routine('cz_chevron', 'q0_q1', reportTrace(map)),
        routine('two_state_discrimination', 'q0', reportTrace(iq)),
      ],
      benchmarks: [{ protocol: 'cz_rb', target: 'q0_q1', fidelity: 0.99, fidelity_error: 1e-3 }],
    }
    writeFileSync(join(folder.path, 'report.json'), JSON.stringify(report))
    const converted = `
import json
from svc_client import CalibrationReport
data = CalibrationReport.of(json.load(open("report.json"))).to_xarray()
t1 = data["t1_q0"]
print(sorted(data.data_vars))
print(t1.dims, t1.values.tolist(), data["delay_t1_q0"].attrs["units"], t1.attrs["t1"], t1.attrs["t1_error"])
print(data["cz_chevron_q0_q1"].sel(frequency_cz_chevron_q0_q1=2e6).values.tolist())
shots = data["two_state_discrimination_q0"]
print(shots.sel(quadrature_two_state_discrimination_q0="q").values.tolist(), shots.attrs["units"])
print(float(data["value"].sel(parameter="q0.coherence.t1")), str(data["parameter_unit"].values[0]))
print(float(data["fidelity"].sel(benchmark="q0_q1.cz_rb")), data.attrs["status"], data["t1_q0_2"].attrs["superseded"])
`
    expect((await printed(folder.path, opened + converted)).split('\n')).toEqual([
      "('point_1', 'acquisition_1', 'quadrature') V t1 [\"q0\"]",
      '[2.0, 4.0] [0.0, 1e-06]',
      "('point_2', 'acquisition_2', 'shot_2', 'quadrature') [1.0, 2.0, 3.0]",
      `run1 scheduler_a_tuner+simulated ['int', 'int', 'int', 'str', 'str', 'str', 'str', 'str', 'str', 'str']`,
      `['cz_chevron_q0_q1', 'error', 'fidelity', 'fidelity_error', 't1_q0', 't1_q0_2', 't1_q0_2_curve', 't1_q0_curve', 'two_state_discrimination_q0', 'value']`,
      "('delay_t1_q0',) [1.0, nan, 0.1] s 1.1e-06 1e-08",
      '[4.0, 5.0, 6.0]',
      '[[3.0, 4.0]] V',
      '1.1e-06 s',
      '0.99 success 1',
      '',
    ])
  })
})
