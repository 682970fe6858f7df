import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { SDK_FOLDER } from '../support/python/devices.ts'
import { runPytest } from '../support/python/pytest.ts'
import { openDevicesPython } from '../support/python/python.ts'

const python = await openDevicesPython()

test.skipIf(python === undefined)(
  'the examples of devices in Python run on Qiskit Aer, Qiskit Dynamics and QCoDeS',
  async () => {
    const paths = [join(SDK_FOLDER, 'src'), join(SDK_FOLDER, 'tests')]
    const { status, summary, output } = await runPytest(python ?? '', SDK_FOLDER, {
      paths,
      args: ['-W', 'ignore', 'tests/test_examples.py'],
    })
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' })
    // None is skipped for a library that is absent.
    expect(summary).toMatch(/^4 passed in /)
  },
  300_000,
)
