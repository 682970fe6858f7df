import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { submit, untilJob } from '../support/executable/job-calls.ts'
import { Service, SVC } from '../support/executable/service.ts'
import { openSystemd, type SystemdNamespace, whyNoSystemd } from '../support/executable/systemd-namespace.ts'
import { skips } from '../support/faults/prerequisites.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const ROOT = join(import.meta.dir, '../..')
const INSTALLER = join(ROOT, 'scripts/install-driver.sh')
/** Where users other than root can read it, like a virtual environment of a lab. */
const PYTHON = '/opt/lab'
const MAKE_PYTHON = `
  /usr/bin/python3 -m venv --without-pip ${PYTHON}
  cp -r ${ROOT}/drivers/python/src/svc_driver ${PYTHON}/lib/python3*/site-packages
  cp ${ROOT}/drivers/python/tests/lab.py ${PYTHON}/lib/python3*/site-packages
`

describe.skipIf(skips('drivers as services', whyNoSystemd()))(
  'install-driver.sh with a running systemd',
  () => {
    const temporary = temporaryFolder()
    let machine: SystemdNamespace
    let service: Service
    let user: { token: string }

    beforeAll(async () => {
      service = await Service.install(temporary.path)
      await service.start()
      user = await service.createUser(1_000)
      machine = await openSystemd()
    })

    afterAll(async () => {
      await machine[Symbol.asyncDispose]()
      await service.stop()
      temporary[Symbol.dispose]()
    })

    function install(env: Record<string, string>, ...args: string[]) {
      return machine.run(['bash', INSTALLER, ...args], { OPERATION: 'process', SVC_BINARY: SVC, ...env })
    }

    async function settingsOf(name: string) {
      const { token, fingerprint } = await service.createQpu(name)
      return { SVC_TOKEN: token, SVC_ADDR: service.url, CA_FINGERPRINT: fingerprint, SERVICE_NAME: name }
    }

    /** A property of the service, as systemd has it. */
    async function shows(name: string, property: string): Promise<string> {
      const { out } = await machine.run(['systemctl', 'show', '--value', '-p', property, name])
      return out.trim()
    }

    const runBell = async (qpu: string) =>
      untilJob(service, user.token, await submit(service, user.token, { shots: 20, qpu_target: qpu }))

    const untilOffline = (name: string) =>
      until(`${name} to be offline`, async () => {
        const { body } = await service.call<{ status: string }>('GET', `/api/qpus/${name}`)
        return body.status === 'offline'
      })

    test('the driver runs as its own user, without privileges, and is started again after it was killed', async () => {
      const settings = await settingsOf('kelvin')
      expect(await install({ ...settings, DEVICE: 'aer_sim' }, 'seed=7')).toMatchObject({
        status: 0,
        err: '',
      })
      await service.untilOnline('kelvin')
      expect((await runBell('kelvin')).status).toBe('completed')
      expect(await shows('kelvin', 'UnitFileState')).toBe('enabled')
      const pid = await shows('kelvin', 'MainPID')
      const { out } = await machine.run(['cat', `/proc/${pid}/status`])
      expect(out).toMatch(/^NoNewPrivs:\t1$/m)
      expect(out).toMatch(/^CapBnd:\t0+$/m)
      const owner = await machine.run(['stat', '-c', '%U', `/proc/${pid}`, '/var/svc-driver/kelvin'])
      expect(owner.out).toBe('svcd-kelvin\nsvcd-kelvin\n')
      const token = await machine.run([
        'runuser',
        '-u',
        'svcd-kelvin',
        ...[
          '--',
          'cat',
          '/etc/svc-driver/kelvin.env',
          '/etc/svc-driver/kelvin.token',
          `/proc/${pid}/environ`,
        ],
      ])
      expect(token).toMatchObject({ out: '', err: expect.stringMatching(/(.*Permission denied\n){3}/) })
      await machine.run(['systemctl', 'kill', '-s', 'KILL', 'kelvin'])
      await until('another process', async () => !['0', pid].includes(await shows('kelvin', 'MainPID')))
      expect((await runBell('kelvin')).status).toBe('completed')
    })

    test('a driver that ends at once is said not to run, with the reason', async () => {
      const settings = { ...(await settingsOf('wrong')), DEVICE: 'aer_simulator' }
      const { status, err } = await install(settings)
      expect([status, err]).toEqual([
        1,
        expect.stringContaining('driver wrong is installed, but does not run (failed)'),
      ])
      expect(await install({ SERVICE_NAME: 'wrong' }, '--purge')).toMatchObject({ status: 0 })
    })

    test('a second run changes options, keeps the token and starts the driver again', async () => {
      const before = await shows('kelvin', 'MainPID')
      const { SVC_TOKEN: _, ...settings } = await settingsOf('other')
      const again = { ...settings, SERVICE_NAME: 'kelvin', DEVICE: 'aer_sim' }
      expect(await install(again, 'seed=8')).toMatchObject({ status: 0, err: '' })
      expect(await shows('kelvin', 'MainPID')).not.toBe(before)
      expect(await shows('kelvin', 'ExecStart')).toContain('-o seed=8')
      expect((await runBell('kelvin')).status).toBe('completed')
    })

    test('a second run moves a driver of a shared user to a user of its own, with its groups', async () => {
      const { SVC_TOKEN, ...settings } = await settingsOf('moved')
      const given = { ...settings, DEVICE: 'aer_sim' }
      const before = { ...given, SVC_TOKEN, SVC_USER: 'svc-driver' }
      expect(await install(before)).toMatchObject({ status: 0, err: '' })
      await machine.run(['usermod', '--append', '--groups', 'dialout', 'svc-driver'])
      await machine.run(['runuser', '-u', 'svc-driver', '--', 'touch', '/tmp/svc-instrument-x.lock'])
      expect((await runBell('moved')).status).toBe('completed')
      expect(await install(given)).toMatchObject({ status: 0, err: '' })
      expect(await shows('moved', 'User')).toBe('svcd-moved')
      expect((await runBell('moved')).status).toBe('completed')
      const data = await machine.run(['find', '/var/svc-driver/moved', '!', '-user', 'svcd-moved'])
      expect(data.out).toBe('')
      expect((await machine.run(['id', '-nG', 'svcd-moved'])).out).toContain('dialout')
      expect((await machine.run(['stat', '-c', '%a', '/tmp/svc-instrument-x.lock'])).out).toBe('666\n')
      expect(await install({ SERVICE_NAME: 'moved' }, '--purge')).toMatchObject({ status: 0 })
      expect((await machine.run(['id', 'svcd-moved'])).status).toBe(1)
    })

    test('a device in Python runs with the Python of SVC_PYTHON, which its user must be able to read', async () => {
      const settings = { ...(await settingsOf('coin')), DEVICE: 'lab:Coin', SVC_PYTHON: PYTHON }
      const made = await machine.run(['sh', '-ec', MAKE_PYTHON])
      expect(made).toMatchObject({ status: 0 })
      await machine.run(['chmod', '700', PYTHON])
      expect(await install(settings)).toMatchObject({
        status: 1,
        err: expect.stringContaining(
          'install-driver: user svcd-coin cannot import svc_driver with /opt/lab/bin/python3',
        ),
      })
      await machine.run(['chmod', '755', PYTHON])
      expect(await install(settings, 'bias=1')).toMatchObject({ status: 0, err: '' })
      await service.untilOnline('coin')
      expect(await runBell('coin')).toMatchObject({ status: 'completed', results: { counts: { '01': 20 } } })
    })

    test('--uninstall removes service, settings and token, and keeps the data; --purge removes them', async () => {
      const env = { SERVICE_NAME: 'kelvin' }
      const removed = 'Driver kelvin removed\nIts data stay in /var/svc-driver/kelvin\n'
      expect(await install(env, '--uninstall')).toEqual({ status: 0, out: removed, err: '' })
      await untilOffline('kelvin')
      const gone = ['systemd/system/kelvin.service', 'svc-driver/kelvin.env', 'svc-driver/kelvin.token']
      expect((await machine.run(['ls', ...gone.map((file) => `/etc/${file}`)])).out).toBe('')
      expect(await shows('kelvin', 'LoadState')).toBe('not-found')
      expect((await machine.run(['ls', '/var/svc-driver/kelvin'])).out).toContain('outbox')
      expect(await install(env, '--purge')).toEqual({ status: 0, out: 'Driver kelvin removed\n', err: '' })
      expect((await machine.run(['ls', '/var/svc-driver'])).out).toBe('coin\n')
      expect(await install(env, '--purge')).toMatchObject({
        status: 2,
        err: 'install-driver: no driver kelvin is installed\n',
      })
      expect((await runBell('coin')).status).toBe('completed')
    })
  },
)
