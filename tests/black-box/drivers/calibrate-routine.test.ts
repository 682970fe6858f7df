import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSvc } from '../../support/executable/background-process.ts'
import { placeChipFiles } from '../../support/executable/chip-files.ts'
import { runSvc } from '../../support/executable/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

let folder: TemporaryFolder
const inFolder = (name: string) => join(folder.path, name)
const content = (name: string) => readFileSync(inFolder(name), 'utf8')

beforeEach(async () => {
  folder = temporaryFolder()
  await placeChipFiles(folder.path, { seed: 1 })
})
afterEach(() => folder[Symbol.dispose]())

const OPTIONS = [
  ...['--device', 'scheduler_a_tuner', '--data-dir', 'data', '-o', 'calibration_config=calibration.yml'],
  ...['-o', 'scheduler_device_config=scheduler.device.yml'],
]
const calibrate = (args: string[], instrument = 'is_simulated') =>
  runSvc(['driver', 'calibrate', ...args, ...OPTIONS, '-o', `${instrument}=true`], { cwd: folder.path })

/** A routine of the site that moves the current of a coupler, and then never ends. */
const HOLD = `import { acquire, defineRoutine } from 'svc/devices'
export const hold = defineRoutine({
  name: 'hold', kind: 'edge', size: { points: 1, shots: 1 },
  *measure({ target, parent, schedule }) {
    yield { kind: 'ramp', edge: target, amps: 1e-5 }
    const points = [schedule().measure(parent.name).build()]
    for (;;) yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points })
  },
})
`

describe('svc driver calibrate', () => {
  test('draws the trace with fit and units, and writes only with --write, as a calibration does', async () => {
    const before = content('scheduler.device.yml')
    const shown = await calibrate(['--routine', 'resonator_spectroscopy', '--target', 'q1,q2'])
    expect({ status: shown.status, err: shown.err }).toEqual({ status: 0, err: '' })
    expect(shown.out).toMatch(/^q2 resonator_spectroscopy\n {9}\|S21\|/m)
    expect(shown.out).toContain('frequency (GHz)\n  resonator, R² ')
    expect(shown.out).toMatch(/clock_freqs\.readout {2}6\.\d+ ± 0\.0000\d+ GHz {3}before: 6\.53 GHz$/m)
    expect(shown.out).toContain('before: not set')
    expect(shown.out).toEndWith('Device file: not changed; --write writes the values\n')
    expect(Math.max(...shown.out.split('\n').map((line) => line.length))).toBeLessThan(120)
    expect(shown.out).not.toContain('\u001b')
    expect([content('scheduler.device.yml'), existsSync(inFolder('scheduler.device.yml.prev'))]).toEqual([
      before,
      false,
    ])
    const written = await calibrate(['--routine', 'resonator_spectroscopy', '--target', 'q2', '--write'])
    expect(written.out).toContain('Device file: 2 values written')
    expect(content('scheduler.device.yml.prev')).toBe(before)
    expect(content('scheduler.device.provenance.yml')).toContain('resonator_spectroscopy')
    const changed = content('scheduler.device.yml').split('\n')
    expect(changed.filter((line) => !before.includes(line))).toHaveLength(2)
  })

  test('exits with 1 when the fit fails, with --json too, and writes nothing', async () => {
    const before = content('scheduler.device.yml')
    const args = ['--routine', 'rabi', '--target', 'q0', '--write', '--json']
    const { status, out } = await calibrate(args, 'is_dummy')
    expect(status).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      ...{ status: 'failed', device_file: null, backend: 'scheduler_a_tuner+dummy' },
      routines: [{ routine: 'rabi_oscillations', target: 'q0', error: { code: 'no_data' } }],
    })
    expect([content('scheduler.device.yml'), existsSync(inFolder('scheduler.device.yml.prev'))]).toEqual([
      before,
      false,
    ])
  })

  test.each([
    [['--target', 'q0'], 2, 'svc driver calibrate: missing --routine'],
    [['--routine', 'rabbi'], 2, 'unknown routine rabbi; did you mean rabi_oscillations or'],
    [['--routine', 't1', '--target', 'q9'], 2, 'the chip has no q9; choose from q0, q1, q2, q3, q4'],
    [['--routine', 't1', '-o', 'is_simulatd=true'], 1, 'did you mean is_simulated?'],
  ])('refuses %j', async (args, expected, message) => {
    const { status, err } = await calibrate(args, 'is_dummy')
    expect(err).toContain(message)
    expect(status).toBe(expected)
  })

  test('Ctrl+C restores the current of a coupler, and no driver shares the data folder meanwhile', async () => {
    writeFileSync(inFolder('hold.ts'), HOLD)
    writeFileSync(inFolder('calibration.yml'), 'routines: {./hold.ts#hold: {}}\n')
    const args = ['driver', 'calibrate', '--routine', 'hold', '--target', 'q0_q1', ...OPTIONS]
    await using running = startSvc([...args, '-o', 'is_simulated=true'], { cwd: folder.path, env: {} })
    const holdsCurrent = () => existsSync(inFolder('data/bias.journal.json'))
    await until('the current to move', holdsCurrent)
    const second = await calibrate(['--routine', 't1', '--target', 'q0'])
    expect([second.status, second.err]).toEqual([1, expect.stringContaining('is in use by another driver')])
    running.process.kill('SIGINT')
    const { status } = await running.ended()
    expect(status).toBe(130)
    expect(readdirSync(inFolder('data')).filter((name) => name.includes('journal'))).toEqual([])
  })
})
