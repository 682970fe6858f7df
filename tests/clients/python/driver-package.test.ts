import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../support/clients/packed-client.ts'
import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { Service, SVC } from '../../support/executable/service.ts'
import { SDK_FOLDER } from '../../support/python/devices.ts'
import { openClientPython } from '../../support/python/python.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(240_000)

const ROOT = join(import.meta.dir, '../../..')
/** What the package registry takes at most. */
const MAX_WHEEL_BYTES = 100e6
const MACHINES: Record<string, string> = { x64: 'x86_64', arm64: 'aarch64' }

const python = await openClientPython()

/** The blocks of a page, by the words that their fences have after the language. */
function blocksOf(page: string): { words: string; code: string }[] {
  const found = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```([^\n]*)\n(.*?)^```$/gms)
  return [...found].map(([, words = '', code = '']) => ({ words, code }))
}

describe.skipIf(!python)('the wheel of svc-driver with the executable', () => {
  const temporary = temporaryFolder()
  const folder = temporary.path
  /** An environment with the wheel alone, and no `svc` on its path. */
  const bin = join(folder, 'env/bin')
  const env = { PATH: `${bin}:/usr/bin:/bin`, PYTHONPATH: '', SVC_PYTHON: '' }
  const lab = join(folder, 'lab')
  let wheel = ''

  /** Builds the package of a folder and installs it without a registry. Returns the wheel. */
  async function install(source: string, variables: Record<string, string> = {}): Promise<string> {
    const built = join(folder, 'dist', source.replaceAll('/', '_'))
    await run([python ?? '', '-m', 'hatchling', 'build', '-t', 'wheel', '-d', built], source, variables)
    const [name = ''] = new Bun.Glob('*.whl').scanSync(built)
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-index']
    await run([join(bin, 'python3'), ...pip, join(built, name)], folder)
    return join(built, name)
  }

  beforeAll(async () => {
    mkdirSync(lab)
    await run([python ?? '', '-m', 'venv', 'env'], folder)
    const source = join(folder, 'package')
    cpSync(SDK_FOLDER, source, { recursive: true })
    const platform = `manylinux_2_17_${MACHINES[process.arch]}`
    wheel = await install(source, { SVC_EXECUTABLE: SVC, SVC_PLATFORM: platform })
  })

  afterAll(() => temporary[Symbol.dispose]())

  test('is small enough for the registry, and its program is the executable', async () => {
    expect(statSync(wheel).size).toBeLessThan(MAX_WHEEL_BYTES)
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const where = 'import svc_driver; print(svc_driver.__path__[0])'
    const path = (await run([join(bin, 'python3'), '-c', where], lab, env)).trim()
    expect(await run([join(path, 'bin/svc'), '--version'], lab, env)).toContain(version)
    expect(await run([join(bin, 'svc-driver'), 'devices'], lab, env)).toContain('process: aer_sim ')
  })

  test('devices that packages advertise are listed by name; those that cannot be imported are not', async () => {
    const source = join(folder, 'devices')
    mkdirSync(source)
    const entries = ['chalmers-chip = "chips:Coin"', 'mock = "chips:Coin"', 'broken = "chips_of_nobody:Coin"']
    const project = ['[build-system]', 'requires = ["hatchling"]', 'build-backend = "hatchling.build"']
    const text = [
      ...[...project, '[project]', 'name = "chips"', 'version = "1.0"', 'dependencies = ["svc-driver"]'],
      ...['[project.entry-points."svc_driver.devices"]', ...entries, ''],
    ]
    writeFileSync(join(source, 'pyproject.toml'), text.join('\n'))
    cpSync(join(SDK_FOLDER, 'tests/lab.py'), join(source, 'chips.py'))
    await install(source)
    const listed = Bun.spawnSync([join(bin, 'svc-driver'), 'devices'], { cwd: lab, env })
    const [out, err] = [listed.stdout.toString(), listed.stderr.toString()]
    expect(out).toMatch(/^process: .* chalmers_chip$/m)
    expect(out).not.toContain('broken')
    expect(err).toContain('broken')
    expect(err).toContain('device mock in Python is hidden by the built-in one of the same name')
    const options = await run([join(bin, 'svc-driver'), 'devices', '--device', 'chalmers-chip'], lab, env)
    expect(options).toContain('Probability of 1')
  })

  test('the blocks of its page run as printed, and its chip runs a job of a server', async () => {
    const blocks = blocksOf('docs/how-to/run-python-code.md')
    for (const { words, code } of blocks) {
      const [, file] = /^python (\w+\.py)$/.exec(words) ?? []
      if (file) writeFileSync(join(lab, file), code)
    }
    const commands = blocks.filter(({ words }) => words === 'sh').map(({ code }) => code)
    expect(commands).toHaveLength(2)
    const printed = await Promise.all(commands.map((each) => run(['sh', '-ec', each], lab, env)))
    const results = JSON.parse(printed[0] ?? '') as { counts: Record<string, number> }
    expect(Object.values(results.counts).reduce((sum, count) => sum + count, 0)).toBe(100)
    expect(printed[1]?.match(/CryostatReading/g)).toHaveLength(2)
    expect(await pytest('test_lab.py')).toMatch(/^2 passed/m)
    await using service = await Service.install(folder)
    await service.start()
    const user = await service.createUser(100)
    const qpu = await service.createQpu('chip')
    const [, ...args] = service.driverArgs('chip', qpu.fingerprint, 'lab:Chip', ['address=10.0.0.2'])
    const driver = Bun.spawn([join(bin, 'svc-driver'), ...args], {
      ...{ cwd: lab, env: { ...env, SVC_PYTHON: undefined, HOME: folder, SVC_ACCESS_TOKEN: qpu.token } },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await service.untilOnline('chip')
    const job = await untilJob(service, user.token, await submit(service, user.token, { shots: 40 }))
    const counts = Object.values(job.results?.counts ?? {})
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40)
    const { body } = await service.call<{ description: { qubits: object[] } }>('GET', '/api/qpus/chip')
    expect(body.description.qubits).toHaveLength(2)
    driver.kill()
    expect(await driver.exited).toBe(0)
  })

  test('the blocks of its README run as printed', async () => {
    const [device, tests] = blocksOf('drivers/python/README.md').filter(({ words }) => words === 'python')
    writeFileSync(join(lab, 'lab.py'), device?.code ?? '')
    writeFileSync(join(lab, 'test_coin.py'), tests?.code ?? '')
    const [attempt = ''] = /^python -m svc_driver try .*$/m.exec(
      readFileSync(join(SDK_FOLDER, 'README.md'), 'utf8'),
    ) ?? ['']
    expect(JSON.parse(await run(['sh', '-ec', attempt], lab, env)).counts).toEqual({ '00': 75, '01': 25 })
    expect(await pytest('test_coin.py')).toMatch(/^1 passed/m)
  })

  /** pytest is that of the tests; the package is the installed one. */
  async function pytest(file: string): Promise<string> {
    const [packages = ''] = new Bun.Glob('lib/python3*/site-packages').scanSync({
      ...{ cwd: join(folder, 'env'), onlyFiles: false, absolute: true },
    })
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', file]
    return run([python ?? '', ...args], lab, { PYTHONPATH: packages })
  }
})
