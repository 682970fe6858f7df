import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { CLIENT_FOLDER, CLIENT_TEST_ENV } from '../../support/python/client.ts'
import { runPytest } from '../../support/python/pytest.ts'
import { openQiskitCases } from '../../support/python/qiskit-cases.ts'

const cases = await openQiskitCases()
const MODULES = ['test_backend_sampler_v2.py', 'test_backend_estimator_v2.py']

test.skipIf(!cases)(
  "Qiskit's own tests of its primitives pass with those of the client in their place",
  async () => {
    const { interpreter = '', folder = '', paths = [] } = cases ?? {}
    const own = ['src', 'tests', 'tests/adapters'].map((name) => join(CLIENT_FOLDER, name))
    const modules = MODULES.map((name) => join(folder, 'test/python/primitives', name))
    // Its plugin replaces the primitives and lists what does not apply.
    const { status, summary, output } = await runPytest(interpreter, folder, {
      paths: [...own, ...paths],
      args: ['-p', 'qiskit_cases', ...modules],
      env: CLIENT_TEST_ENV,
    })
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' })
    expect(summary).toMatch(/^\d{2} passed, \d+ skipped/)
  },
  1_800_000,
)
