import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { absentOf, skips } from '../support/faults/prerequisites.ts'
import { analyze } from '../support/systemd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SCRIPT = join(import.meta.dir, '../../scripts/install-driver.sh')
const PIN = 'ab'.repeat(32)
const GOOD = {
  SVC_TOKEN: 'svc_dt_0123abcd',
  SVC_ADDR: 'http://10.0.0.5:8090',
  CA_FINGERPRINT: PIN,
  SERVICE_NAME: 'kelvin_25',
  OPERATION: 'process',
  DEVICE: 'aer_sim',
}
const UNIT = 'etc/systemd/system/kelvin_25.service'
const SETTINGS = 'etc/svc-driver/kelvin_25.env'
const TOKEN = 'etc/svc-driver/kelvin_25.token'

/** A folder that stands for the root of a machine, and an executable to install there. */
function openCase() {
  const folder = temporaryFolder()
  const binary = join(folder.path, 'svc-build')
  const build = (version: string) =>
    writeFileSync(binary, `#!/bin/sh\necho ${version}\n`, { mode: 0o755, flush: true })
  build('2026.11.0')
  const root = join(folder.path, 'root')
  const install = async (
    changed: Record<string, string> = {},
    args: string[] = [],
    { command = [SCRIPT], stdin = 'ignore' }: { command?: string[]; stdin?: 'ignore' | Bun.BunFile } = {},
  ) => {
    const env = { PATH: process.env['PATH'] ?? '', SVC_BINARY: binary, DESTDIR: root, ...GOOD, ...changed }
    const child = Bun.spawn([...command, ...args], { env, cwd: '/', stdio: [stdin, 'pipe', 'pipe'] })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { status: await child.exited, out, err }
  }
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const mode = (path: string) => (statSync(join(root, path)).mode & 0o777).toString(8)
  const files = () =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .sort()
  return { root, build, install, read, mode, files, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

describe('scripts/install-driver.sh', () => {
  test.skipIf(skips('the unit of a driver', absentOf('systemd-analyze')))(
    'writes a unit that systemd accepts',
    async () => {
      using it = openCase()
      await it.install({}, ['seed=7'])
      const unit = join(it.root, 'kelvin_25.service')
      writeFileSync(unit, it.read(UNIT).replace('/usr/local/bin', join(it.root, 'usr/local/bin')))
      expect(await analyze('verify', unit)).toEqual({ status: 0, err: '' })
      // Exposure in tenths.
      expect(await analyze('security', '--offline=true', '--threshold=60', unit)).toMatchObject({ status: 0 })
    },
  )

  test('writes executable, unit, settings and data folder, the token readable by its owner only', async () => {
    using it = openCase()
    const done = await it.install({}, ['seed=7'])
    expect(done).toEqual({ status: 0, out: `Driver kelvin_25 prepared below ${it.root}\n`, err: '' })
    expect(it.files()).toEqual([SETTINGS, TOKEN, UNIT, 'usr/local/bin/svc', 'usr/local/bin/svc-driver'])
    expect(readlinkSync(join(it.root, 'usr/local/bin/svc-driver'))).toBe('svc')
    const modes = [SETTINGS, TOKEN, 'var/svc-driver/kelvin_25'].map(it.mode)
    expect(modes).toEqual(['600', '600', '700'])
    expect(it.read(TOKEN)).toBe(`${GOOD.SVC_TOKEN}\n`)
    expect(it.read(SETTINGS)).toBe(
      [
        `SVC_ADDR="${GOOD.SVC_ADDR}"`,
        `SVC_CA_FINGERPRINT="${PIN}"`,
        'SVC_CA_FILE="/var/svc-driver/kelvin_25/svc.ca.pem"',
        'SVC_DATA_DIR="/var/svc-driver/kelvin_25"',
        '',
      ].join('\n'),
    )
    const unit = it.read(UNIT)
    expect(unit).not.toContain(GOOD.SVC_TOKEN)
    for (const line of [
      'ExecStart=/usr/local/bin/svc-driver start --operation process --device "aer_sim" --token-file - -o "seed=7"',
      'StandardInput=file:/etc/svc-driver/kelvin_25.token',
      'EnvironmentFile=/etc/svc-driver/kelvin_25.env',
      'WorkingDirectory=/var/svc-driver/kelvin_25',
      'User=svcd-kelvin_25',
      'Restart=on-failure',
      'RestartPreventExitStatus=1 2',
      'ProtectSystem=strict',
      'WantedBy=multi-user.target',
    ]) {
      expect(unit.split('\n')).toContain(line)
    }
  })

  test('starts the driver again after each exit status that the documentation says', async () => {
    using it = openCase()
    await it.install()
    const [, prevented = ''] = /^RestartPreventExitStatus=(.*)$/m.exec(it.read(UNIT)) ?? []
    const page = readFileSync(join(import.meta.dir, '../../docs/how-to/run-a-driver.md'), 'utf8')
    const rows = [...page.matchAll(/^\| (\d+) \| .* \| (stays stopped|starts again)[^|]*\|$/gm)]
    expect(rows.map(([, status]) => status)).toEqual(['0', '1', '2', '69', '70'])
    const stopped = rows.filter(([, , then]) => then === 'stays stopped').map(([, status]) => status)
    // Restart=on-failure does not start it after a success.
    expect(stopped).toEqual(['0', ...prevented.split(' ')])
  })

  test('leaves the same files when it is run again, and keeps a token that is not given', async () => {
    using it = openCase()
    await it.install()
    const before = it.files().map(it.read)
    expect((await it.install({ SVC_TOKEN: '' })).status).toBe(0)
    expect(it.files().map(it.read)).toEqual(before)
    it.build('2026.12.0')
    await it.install({ SVC_ADDR: 'https://svc.example.org', SVC_TOKEN: 'svc_dt_new' })
    expect(it.read('usr/local/bin/svc')).toContain('2026.12.0')
    expect(it.read(SETTINGS)).toContain('SVC_ADDR="https://svc.example.org"')
    expect(it.read(TOKEN)).toBe('svc_dt_new\n')
  })

  test('moves the token out of the settings, where it was until 2026.11', async () => {
    using it = openCase()
    await it.install()
    rmSync(join(it.root, TOKEN))
    writeFileSync(
      join(it.root, SETTINGS),
      'SVC_ACCESS_TOKEN="svc_dt_before"\nSVC_ADDR="http://10.0.0.5:8090"\n',
    )
    expect((await it.install({ SVC_TOKEN: '' })).status).toBe(0)
    expect(it.read(TOKEN)).toBe('svc_dt_before\n')
    expect(it.read(SETTINGS)).not.toContain('svc_dt_before')
  })

  test.each([
    ['driver', 'svcd-driver'],
    ['Kelvin', /^svcd-[0-9a-f]{16}$/],
    ['a'.repeat(27), `svcd-${'a'.repeat(27)}`],
    ['a'.repeat(28), /^svcd-[0-9a-f]{16}$/],
  ])('the driver %s has a user of its own whose name is valid', async (name, user) => {
    using it = openCase()
    await it.install({ SERVICE_NAME: name })
    const [, found = ''] = /^User=(.*)$/m.exec(it.read(`etc/systemd/system/${name}.service`)) ?? []
    expect(found).toMatch(user)
    expect(found).toMatch(/^[a-z][a-z0-9_-]{0,31}$/)
  })

  test('refuses users of which one could not read the files of the other, until both have the same', async () => {
    using it = openCase()
    const device = 'scheduler_device_config=/var/svc-driver/tuner/chip.yml'
    const tuner = { SERVICE_NAME: 'tuner', OPERATION: 'calibrate', DEVICE: 'scheduler_a_tuner' }
    expect((await it.install({ ...tuner, SVC_USER: 'svc-driver' }, [device])).status).toBe(0)
    const refused = (other: string, user: string) => ({
      status: 2,
      err: expect.stringMatching(
        new RegExp(`driver ${other} runs as user ${user} .* give both the same SVC_USER`),
      ),
    })
    expect(await it.install({}, [device])).toMatchObject(refused('tuner', 'svc-driver'))
    expect((await it.install({ SVC_USER: 'svc-driver' }, [device])).status).toBe(0)
    expect(await it.install(tuner, [device])).toMatchObject(refused('kelvin_25', 'svc-driver'))
    expect((await it.install({ ...tuner, SVC_USER: 'svc-driver' }, [device])).status).toBe(0)
  })

  test('passes options word by word, whatever systemd makes of their characters', async () => {
    using it = openCase()
    await it.install({ DEVICE: '/opt/lab/fridge.js#main' }, ['channels=a:K,b:%', 'note=say "$HOME" \\ once'])
    expect(it.read(UNIT)).toContain(
      '--device "/opt/lab/fridge.js#main" --token-file - -o "channels=a:K,b:%%" -o "note=say \\"$$HOME\\" \\\\ once"\n',
    )
  })

  test('writes the Python of a device into its settings', async () => {
    using it = openCase()
    await it.install({ DEVICE: 'lab.chip:Chip', SVC_PYTHON: '/opt/lab' }, ['cluster_ip=10.0.0.2'])
    expect(it.read(SETTINGS)).toContain('SVC_PYTHON="/opt/lab"\n')
    expect(it.read(UNIT)).toContain('--device "lab.chip:Chip" --token-file - -o "cluster_ip=10.0.0.2"\n')
  })

  test('--uninstall keeps the data and the executable, --purge removes the data too', async () => {
    using it = openCase()
    await it.install()
    await it.install({ SERVICE_NAME: 'other' })
    const data = 'var/svc-driver/kelvin_25'
    writeFileSync(join(it.root, data, 'result'), 'kept')
    expect(await it.install({}, ['--uninstall'])).toEqual({
      ...{ status: 0, err: '' },
      out: `Driver kelvin_25 removed\nIts data stay in ${join(it.root, data)}\n`,
    })
    const others = [
      'etc/svc-driver/other.env',
      'etc/svc-driver/other.token',
      'etc/systemd/system/other.service',
    ]
    const executable = ['usr/local/bin/svc', 'usr/local/bin/svc-driver']
    expect(it.files()).toEqual([...others, ...executable, `${data}/result`].toSorted())
    expect(await it.install({}, ['--purge'])).toMatchObject({ status: 0, out: 'Driver kelvin_25 removed\n' })
    expect(it.files()).toEqual([...others, ...executable].toSorted())
    const err = 'install-driver: no driver kelvin_25 is installed\n'
    expect(await it.install({}, ['--uninstall'])).toEqual({ status: 2, out: '', err })
    expect(await it.install({}, ['--purge', 'seed=7'])).toMatchObject({ status: 2, out: '' })
  })

  const refused: [what: string, changed: Record<string, string>, args: string[], err: string][] = [
    [
      'no token at all',
      { SVC_TOKEN: '' },
      [],
      'SVC_TOKEN is missing; expected the access token of the driver',
    ],
    ['a token with a line end', { SVC_TOKEN: 'svc\nUser=root' }, [], 'SVC_TOKEN is not a token; expected'],
    ['another address', { SVC_ADDR: '10.0.0.5' }, [], 'SVC_ADDR is "10.0.0.5"; expected an address such as'],
    ['half a fingerprint', { CA_FINGERPRINT: 'abab' }, [], 'CA_FINGERPRINT is "abab"; expected the 64'],
    ['a path as name', { SERVICE_NAME: '../ssh' }, [], 'SERVICE_NAME is "../ssh"; expected letters, digits'],
    ['another operation', { OPERATION: 'run' }, [], 'OPERATION is "run"; expected process, monitor or'],
    ['a relative module', { DEVICE: './a.js' }, [], 'DEVICE is "./a.js"; expected an absolute path'],
    [
      'a relative Python',
      { SVC_PYTHON: 'venv' },
      [],
      'SVC_PYTHON is "venv"; expected the absolute path of an interpreter',
    ],
    ['an option without value', {}, ['seed'], 'argument "seed"; expected KEY=VALUE'],
  ]
  test.each(refused)('refuses %s and writes nothing', async (_what, changed, args, err) => {
    using it = openCase()
    const done = await it.install(changed, args)
    expect(done).toMatchObject({ status: 2, out: '' })
    expect(done.err).toStartWith(`install-driver: ${err}`)
    expect(() => it.files()).toThrow()
  })

  test.each([[], ['--purge']])(
    'refuses to replace or remove a unit that it did not write %s',
    async (...args) => {
      using it = openCase()
      await it.install()
      writeFileSync(join(it.root, UNIT), '[Service]\nExecStart=/usr/sbin/sshd\n')
      expect(await it.install({}, args)).toMatchObject({
        status: 2,
        err: expect.stringContaining('choose another SERVICE_NAME'),
      })
      expect(it.read(UNIT)).toContain('sshd')
    },
  )

  test('reports why it needs root', async () => {
    using it = openCase()
    const isRoot = process.getuid?.() === 0
    const nobody = isRoot ? ['setpriv', '--reuid', '65534', '--clear-groups'] : []
    // Another user may have no access to the folders above the script.
    const command = [...nobody, 'bash', '-s', '--']
    const { status, err } = await it.install({ DESTDIR: '' }, [], { command, stdin: Bun.file(SCRIPT) })
    expect({ status, err }).toEqual({
      status: 1,
      err: 'install-driver: needs root, because it writes a systemd unit and makes a user; run it with sudo env VARIABLES...\n',
    })
  })

  test('names the missing executable', async () => {
    using it = openCase()
    rmSync(join(it.root, '..', 'svc-build'))
    const { status, err } = await it.install()
    expect({ status, err }).toMatchObject({ status: 1, err: expect.stringContaining('no svc executable') })
  })

  test('--help names every variable', async () => {
    using it = openCase()
    const { status, out } = await it.install({}, ['--help'])
    expect(status).toBe(0)
    for (const name of [...Object.keys(GOOD), 'SVC_PYTHON', '--uninstall', '--purge'])
      expect(out).toContain(`  ${name} `)
  })
})
