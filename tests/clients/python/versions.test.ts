import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { CLIENT_FOLDER, CLIENT_TEST_ENV } from '../../support/python/client.ts'
import { SDK_FOLDER } from '../../support/python/devices.ts'
import { runPytest } from '../../support/python/pytest.ts'
import { openPythonVersion } from '../../support/python/python.ts'

setDefaultTimeout(900_000)

/** What the packages say they run on, each with what their tests need. */
const MINORS = [10, 11, 12, 13, 14]

for (const minor of MINORS) {
  const python = await openPythonVersion(minor)
  if (python === undefined) process.stderr.write(`not run: Python 3.${minor} is not installed\n`)

  describe.skipIf(!python)(`with Python 3.${minor}`, () => {
    test.each([
      ['svc-client', CLIENT_FOLDER, ['--ignore', 'tests/adapters'], CLIENT_TEST_ENV],
      ['svc-driver', SDK_FOLDER, ['tests/test_devices.py'], {}],
    ] as const)('the tests of %s pass', async (_, folder, args, env) => {
      const paths = [join(folder, 'src'), join(folder, 'tests')]
      const { status, summary, output } = await runPytest(python ?? '', folder, { paths, args, env })
      expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' })
      expect(summary).toMatch(/^\d+ passed/)
    })
  })
}
