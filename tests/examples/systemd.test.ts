import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../src/base/index.ts'
import { exitStatus } from '../../src/cli/command-line/usage-error.ts'
import { SVC } from '../support/executable/service.ts'
import { analyze } from '../support/systemd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const unit = readFileSync(join(import.meta.dir, '../../examples/systemd/svc.service'), 'utf8')

test.skipIf(Bun.which('systemd-analyze') === null)('systemd accepts the unit of the server', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'svc.service')
  writeFileSync(file, unit.replace('/usr/local/bin/svc', SVC))
  expect(await analyze('verify', file)).toEqual({ status: 0, err: '' })
  // Exposure in tenths; above 4.9 systemd no longer calls it OK.
  expect(await analyze('security', '--offline=true', '--threshold=20', file)).toMatchObject({ status: 0 })
})

test('the unit does not restart a server that refuses its settings or its database', () => {
  const [, statuses] = /^RestartPreventExitStatus=(.*)$/m.exec(unit) ?? []
  const refused = ['bad_config', 'database_damaged', 'database_newer'].map((reason) =>
    exitStatus(new AppError('invalid', '', { reason })),
  )
  expect(statuses?.split(' ').map(Number)).toEqual([...new Set(refused)])
})
