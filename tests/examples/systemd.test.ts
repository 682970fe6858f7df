import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../src/base/index.ts'
import { parseFlags } from '../../src/cli/command-line/parse-flags.ts'
import { exitStatus } from '../../src/cli/command-line/usage-error.ts'
import { backupCommand } from '../../src/cli/data/backup.ts'
import { serveCommand } from '../../src/cli/serve/serve.ts'
import { SVC } from '../support/executable/service.ts'
import { absentOf, skips } from '../support/faults/prerequisites.ts'
import { analyze } from '../support/systemd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const units = join(import.meta.dir, '../../examples/systemd')
const unit = readFileSync(join(units, 'svc.service'), 'utf8')
const commands = { serve: serveCommand, backup: backupCommand }

test.skipIf(skips('units', absentOf('systemd-analyze'))).each(readdirSync(units))(
  'systemd accepts %s',
  async (name) => {
    using folder = temporaryFolder()
    // Units refer to each other.
    for (const each of readdirSync(units)) {
      const text = readFileSync(join(units, each), 'utf8')
      writeFileSync(join(folder.path, each), text.replace('/usr/local/bin/svc', SVC))
    }
    const file = join(folder.path, name)
    expect(await analyze('verify', file)).toEqual({ status: 0, err: '' })
    // Exposure in tenths; above 4.9 systemd no longer calls it OK.
    expect(await analyze('security', '--offline=true', '--threshold=20', file)).toMatchObject({ status: 0 })
  },
)

test.each(readdirSync(units))('the program accepts the command line of %s', (name) => {
  const [, line = ''] =
    /^ExecStart=\/usr\/local\/bin\/svc (.*)$/m.exec(readFileSync(join(units, name), 'utf8')) ?? []
  const [word = '', ...words] = line.split(' ')
  const command = Object.entries(commands).find(([each]) => each === word)?.[1]
  if (!command) throw new Error(`no command ${word}`)
  expect(parseFlags(words, command).given).toMatchObject({ configFile: '/etc/svc/svc.config.yml' })
})

test('the unit does not restart a server that refuses its settings or its database', () => {
  const [, statuses] = /^RestartPreventExitStatus=(.*)$/m.exec(unit) ?? []
  const refused = ['bad_config', 'database_damaged', 'database_newer'].map((reason) =>
    exitStatus(new AppError('invalid', '', { reason })),
  )
  expect(statuses?.split(' ').map(Number)).toEqual([...new Set(refused)])
})
