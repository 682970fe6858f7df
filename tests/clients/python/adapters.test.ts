import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIRST_PROGRAMS } from '../../../ui/jobs/first-programs.ts'
import { run } from '../../support/clients/packed-client.ts'
import { type Demo, startDemo } from '../../support/clients/running-demo.ts'
import { CLIENT_FOLDER, CLIENT_TEST_ENV } from '../../support/python/client.ts'
import { SDK_FOLDER } from '../../support/python/devices.ts'
import { runPytest } from '../../support/python/pytest.ts'
import { openAdaptersPython, openClientPython, openIbmRuntime } from '../../support/python/python.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(600_000)

const ROOT = join(import.meta.dir, '../../..')

const [adapters, client, runtime] = [
  await openAdaptersPython(),
  await openClientPython(),
  await openIbmRuntime(),
]
const source = join(CLIENT_FOLDER, 'src')

test.skipIf(!adapters)(
  'circuits and primitives of other libraries run on the executable',
  async () => {
    const paths = [source, join(CLIENT_FOLDER, 'tests')]
    const { status, summary, output } = await runPytest(adapters ?? '', CLIENT_FOLDER, {
      paths,
      args: ['tests/adapters'],
      env: { ...CLIENT_TEST_ENV, ...(runtime !== undefined && { SVC_IBM_RUNTIME: runtime }) },
    })
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' })
    expect(summary).toMatch(/^\d+ passed/)
  },
  1_800_000,
)

// Overrides are not compared in those of the client: the base classes of Qiskit leave types out.
test.skipIf(!(adapters && client)).each([
  ['svc-client', CLIENT_FOLDER, ['-p', 'tests/adapters']],
  ['svc-driver', SDK_FOLDER, ['src/svc_driver/qiskit.py']],
])('pyright accepts the adapters of %s with the libraries that they adapt', async (_, cwd, which) => {
  const args = ['-m', 'pyright', '--pythonpath', adapters ?? '', ...which]
  const checked = Bun.spawn([client ?? '', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, status] = await Promise.all([new Response(checked.stdout).text(), checked.exited])
  expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' })
})

describe.skipIf(!(adapters && client))('the packed client with other libraries', () => {
  const temporary = temporaryFolder()
  const folder = temporary.path
  const packages = join(folder, 'packages')
  let demo: Demo | undefined

  /** Installs the wheel, for its entry points too; the libraries are those of the interpreter. */
  beforeAll(async () => {
    const copy = join(folder, 'package')
    cpSync(CLIENT_FOLDER, copy, { recursive: true })
    await run([client ?? '', '-m', 'hatchling', 'build', '-t', 'wheel', '-d', folder], copy)
    const [wheel = ''] = new Bun.Glob('svc_client-*-py3-none-any.whl').scanSync(folder)
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--no-index']
    await run([adapters ?? '', ...pip, '--target', packages, join(folder, wheel)], folder)
    demo = await startDemo(folder)
  })

  afterAll(async () => {
    await demo?.[Symbol.asyncDispose]()
    temporary[Symbol.dispose]()
  })

  async function runProgram(program: string): Promise<string> {
    const file = join(folder, 'program.py')
    writeFileSync(file, program)
    return run([adapters ?? '', '-W', 'ignore::DeprecationWarning', file], folder, {
      ...demo?.account,
      PYTHONPATH: packages,
    })
  }

  function blocksOf(page: string, language: string): string[] {
    const found = readFileSync(join(ROOT, page), 'utf8').matchAll(
      new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'),
    )
    return [...found].map(([, block]) => block ?? '')
  }

  test('runs the examples of its page as printed', async () => {
    const blocks = blocksOf('docs/how-to/use-qiskit-pennylane-cirq.md', 'python')
    expect(blocks.length).toBe(7)
    const out = await runProgram(blocks.join('\n'))
    expect(out).toContain("bell {'run': 7} {")
    expect(out).toContain('(50,)')
    expect(out).toContain('True')
    expect(out.match(/ParamResolver/g)).toHaveLength(10)
  })

  test('runs the page for users of other libraries as printed, and every call in its right columns', async () => {
    const page = 'docs/how-to/from-qiskit-ibm-runtime.md'
    const rows = readFileSync(join(ROOT, page), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const calls = rows.flatMap((row) =>
      [...(row.split(' | ')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, call]) => call ?? ''),
    )
    const python = calls.filter((call) => !call.startsWith('svc login') && call !== 'memory=True')
    expect(python.length).toBeGreaterThan(50)
    const out = await runProgram([...blocksOf(page, 'python'), ...python, "print('all calls')"].join('\n'))
    expect(out).toContain('[10, 20, 30]')
    expect(out).toContain('40 In progress, accepting new jobs')
    expect(out).toContain('all calls')
  })

  test('runs the tutorial for notebooks as printed', async () => {
    const blocks = blocksOf('docs/tutorials/from-a-notebook.md', 'python')
    expect(blocks.length).toBe(5)
    const out = await runProgram(blocks.join('\n'))
    expect(out).toMatch(/^\{'(00|11)': \d+, '(00|11)': \d+\}\naer_sim /)
    // 5 σ of 500 shots, at 41 angles.
    expect(Number(/^largest difference (0\.\d+)$/m.exec(out)?.[1])).toBeLessThan(0.12)
  })

  test('runs each example of the README of the package as printed', async () => {
    const blocks = blocksOf('clients/python/README.md', 'py')
    expect(blocks.length).toBe(3)
    for (const block of blocks) expect(await runProgram(block)).not.toBe('')
  })

  test('runs the first program that the dashboard shows for Qiskit', async () => {
    const { code = '' } = FIRST_PROGRAMS.find(({ id }) => id === 'qiskit') ?? {}
    expect(await runProgram(code)).toMatch(/\{'(00|11)': \d+, '(00|11)': \d+\}/)
  })
})
