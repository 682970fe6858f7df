import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { CLIENT_FOLDER, CLIENT_TEST_ENV } from '../../support/python/client.ts'
import { SDK_FOLDER } from '../../support/python/devices.ts'
import { runPytest } from '../../support/python/pytest.ts'
import { openClientPython } from '../../support/python/python.ts'

const python = await openClientPython()
const source = join(CLIENT_FOLDER, 'src')

async function run(args: string[], cwd = CLIENT_FOLDER): Promise<{ status: number; output: string }> {
  const made = Bun.spawn([python ?? '', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, status] = await Promise.all([
    new Response(made.stdout).text(),
    new Response(made.stderr).text(),
    made.exited,
  ])
  return { status, output: status === 0 ? '' : out + err }
}

test.skipIf(!python)(
  'the tests of the Python client pass with the executable, and the contract cases with a stub',
  async () => {
    const paths = [source, join(CLIENT_FOLDER, 'tests')]
    const args = ['--ignore', 'tests/adapters']
    const { status, summary, output } = await runPytest(python ?? '', CLIENT_FOLDER, {
      paths,
      args,
      env: CLIENT_TEST_ENV,
    })
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' })
    expect(summary).toMatch(/^\d{3} passed in /)
  },
  600_000,
)

test.skipIf(!python)('the references are those of the docstrings', async () => {
  const script = join(CLIENT_FOLDER, '../../scripts/clients/reference.py')
  expect(await run([script, '--check'])).toEqual({ status: 0, output: '' })
})

test.skipIf(!python).each([
  ['svc-client', CLIENT_FOLDER],
  ['svc-driver', SDK_FOLDER],
])(
  'mypy --strict and pyright accept %s and a program that uses it',
  async (_, folder) => {
    const mypy = ['-m', 'mypy', '--strict', '--no-incremental', '--cache-dir', '/dev/null']
    expect(await run(mypy, folder)).toEqual({ status: 0, output: '' })
    const pyright = ['-m', 'pyright', '--pythonpath', python ?? '']
    expect(await run(pyright, folder)).toEqual({ status: 0, output: '' })
  },
  300_000,
)
