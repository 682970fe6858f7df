import { expect, test } from 'bun:test'
import { flag, group, kinds, requiredSetting, setting, switchFlag } from '../../../src/base/index.ts'
import { defineCommand } from '../../../src/cli/command-line/command.ts'
import { renderHelp } from '../../../src/cli/command-line/help.ts'

const command = defineCommand({
  summary: 'Do something',
  positionals: [{ name: 'FILE', help: 'File to read', isOptional: true }],
  flags: {
    once: switchFlag(kinds.bool(), 'Exit after the result'),
    level: flag(kinds.choice(['low', 'middle', 'very-high', 'extremely-high']), 'Level'),
  },
  settings: {
    ...group('Network', {
      serverPort: setting(
        kinds.integer(),
        '8090',
        'A help text that does not fit into one line of 60 columns',
      ),
      token: requiredSetting(kinds.text('token'), 'Access token', {
        short: 't',
        variable: 'SVC_ACCESS_TOKEN',
      }),
    }),
  },
  commands: { again: () => defineCommand({ summary: 'Repeat it', run: () => undefined }) },
  run: () => 1,
  print: () => undefined,
})

test('renderHelp() shows usage, arguments, commands and flags by group, wrapped', async () => {
  expect(await renderHelp('svc do', command, 60)).toBe(
    `Do something

Usage: svc do [FILE] [options]
       svc do COMMAND

Arguments:
  FILE                 File to read

Commands:
  again                Repeat it

Options:
  --once               Exit after the result
  --level <low|middle|very-high|extremely-high>
                       Level
  --json               Print one JSON document

Network:
  --server-port <n>    A help text that does not fit into
                       one line of 60 columns
                       (SVC_SERVER_PORT, default 8090)
  -t, --token <token>  Access token
                       (required, SVC_ACCESS_TOKEN)

Run svc do COMMAND --help for the options of a command.`,
  )
})
