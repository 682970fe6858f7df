import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SVC } from '../../support/executable/service.ts'
import { freePort, freePortRange } from '../../support/free-port.ts'
import { CLIENT_FOLDER } from '../../support/python/client.ts'
import { openClientPython } from '../../support/python/python.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(240_000)

const ROOT = join(import.meta.dir, '../../..')
const COUNTS = /\{'(00|11)': \d+, '(00|11)': \d+\}/
/** Pages with what their examples print. */
const PAGES = [
  ['clients/python/README.md', COUNTS],
  ['docs/how-to/use-the-python-client.md', COUNTS],
  ['docs/how-to/hold-a-qpu.md', /^active \S+$/m],
] as const

const python = await openClientPython()
const temporary = temporaryFolder()
const folder = temporary.path
/** An environment that has the wheel and what it needs, and nothing of the repository. */
const interpreter = join(folder, 'env/bin/python')
let demo: Bun.Subprocess<'ignore', 'pipe', 'inherit'> | undefined
const account = { SVC_ADDR: '', SVC_API_TOKEN: '' }

async function run(command: string[], cwd = folder, env: Record<string, string> = {}): Promise<string> {
  const made = Bun.spawn(command, {
    ...{ cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    env: { ...process.env, PYTHONPATH: '', HOME: folder, ...env },
  })
  const [out, err, status] = await Promise.all([
    new Response(made.stdout).text(),
    new Response(made.stderr).text(),
    made.exited,
  ])
  if (status !== 0) throw new Error(`${command.join(' ')}: ${out}${err}`)
  return out
}

/** Installs the wheel as users do. Its only dependency comes from the registry, as do those of the tests. */
async function install(): Promise<void> {
  const source = join(folder, 'package')
  cpSync(CLIENT_FOLDER, source, { recursive: true })
  await run([python ?? '', '-m', 'hatchling', 'build', '-t', 'wheel', '-d', folder], source)
  const [wheel = ''] = new Bun.Glob('svc_client-*-py3-none-any.whl').scanSync(folder)
  await run([python ?? '', '-m', 'venv', 'env'])
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:']
  await run([interpreter, ...pip, join(folder, wheel)], folder, { HOME: process.env['HOME'] ?? folder })
}

/** Starts `svc demo` and reads its address and the API token of its user from what it prints. */
async function startDemo(): Promise<void> {
  const ports = ['--server-port', String(freePort()), '--port-range-start', String(freePortRange(20))]
  demo = Bun.spawn([SVC, 'demo', ...ports], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  const decoder = new TextDecoder()
  for await (const chunk of demo.stdout) {
    said += decoder.decode(chunk, { stream: true })
    const [, url, token] = /curl -s (http:\S+?)\/api\/jobs -H 'X-API-Token: (\w+)'/.exec(said) ?? []
    if (url === undefined || token === undefined) continue
    Object.assign(account, { SVC_ADDR: url, SVC_API_TOKEN: token })
    return
  }
  throw new Error(`svc demo ended: ${said}`)
}

describe.skipIf(!python)('the wheel of the Python client', () => {
  beforeAll(() => Promise.all([install(), startDemo()]))

  afterAll(async () => {
    demo?.kill()
    await demo?.exited
    temporary[Symbol.dispose]()
  })

  test('installs with httpx and nothing else, and has types', async () => {
    const listed = await run([interpreter, '-m', 'pip', 'list', '--format', 'freeze'])
    expect(listed).toMatch(/^svc-client==\d+\.\d+\.\d+$/m)
    for (const other of ['numpy', 'pandas', 'qiskit']) expect(listed).not.toContain(`${other}==`)
    const where = 'import svc_client, pathlib; f = pathlib.Path(svc_client.__file__); print(f)'
    const file = (await run([interpreter, '-c', where])).trim()
    expect(file.startsWith(join(folder, 'env'))).toBe(true)
    expect(await Bun.file(join(file, '../py.typed')).exists()).toBe(true)
  })

  test.each([...PAGES])('runs the examples of %s as printed', async (page, prints) => {
    // The QPU of the demo has a name of its own.
    const text = readFileSync(join(ROOT, page), 'utf8').replaceAll('kelvin_25', 'demo')
    const blocks = [...text.matchAll(/```python\n(.*?)```/gs)].map(([, block]) => block)
    const program = join(folder, 'example.py')
    writeFileSync(program, blocks.join('\n'))
    expect(await run([interpreter, program], folder, account)).toMatch(prints)
  })
})
