import { expect, test } from 'bun:test'
import type { Page } from '../../../../ui/app/page.ts'
import { type Command, commandsOf, findCommands } from '../../../../ui/frame/palette/commands.ts'

const page = (path: string, title: string, access: Page['access']): Page => ({
  path,
  title,
  access,
  load: async () => () => null,
})
const PAGES = [
  page('/', 'Overview', 'public'),
  page('/jobs', 'Jobs', 'signed_in'),
  page('/jobs/:id', 'Job', 'signed_in'),
  page('/qpus/:name', 'QPU', 'public'),
  page('/users', 'Users', 'superuser'),
]
const SIGN_OUT: Command = { id: 'action sign-out', title: 'Sign out', group: 'Action', run: () => undefined }

const DRAIN: Command = {
  id: 'verb Drain kelvin_25',
  title: 'Drain kelvin_25',
  group: 'Action',
  run: () => undefined,
}

const commandsFor = (who: 'guest' | 'user' | 'superuser') =>
  commandsOf({
    pages: PAGES,
    signedIn: who !== 'guest',
    superuser: who === 'superuser',
    qpus: ['kelvin_25', 'boreas_5'],
    jobs: [{ id: 'abcdefghijklmno', name: 'GHZ' }],
    actions: [SIGN_OUT],
    verbs: who === 'superuser' ? [DRAIN] : [],
  })
const titles = (commands: readonly Command[]) => commands.map(({ title }) => title)

test('commandsOf() offers the pages that the account may open, without parameters in the path', () => {
  expect(titles(commandsFor('guest').filter(({ group }) => group === 'Page'))).toEqual(['Overview'])
  expect(titles(commandsFor('user'))).not.toContain('Users')
  expect(titles(commandsFor('superuser'))).toContain('Users')
  expect(new Set(commandsFor('superuser').map(({ id }) => id)).size).toBe(commandsFor('superuser').length)
})

test('findCommands() finds every word, in the title or the kind, and ranks beginnings first', () => {
  const commands = commandsFor('user')
  expect(titles(findCommands(commands, 'kel'))).toEqual(['kelvin_25'])
  expect(titles(findCommands(commands, 'qpu'))).toEqual(['kelvin_25', 'boreas_5'])
  expect(titles(findCommands(commands, 'ghz job'))).toEqual(['GHZ abcdefghijklmno'])
  expect(titles(findCommands(commands, 'jo'))[0]).toBe('Jobs')
  expect(findCommands(commands, 'nothing like it')).toEqual([])
})

test('findCommands() offers a job by its id, listed or not, once', () => {
  const commands = commandsFor('user')
  expect(findCommands(commands, 'zzzzzzzzzzzzzzz').map(({ href }) => href)).toEqual(['/jobs/zzzzzzzzzzzzzzz'])
  expect(findCommands(commands, 'abcdefghijklmno')).toHaveLength(1)
})

test('findCommands() begins with pages and actions', () => {
  expect(titles(findCommands(commandsFor('user'), ' '))).toEqual(['Overview', 'Jobs', 'Sign out'])
})

test('findCommands() offers verbs only for their words', () => {
  const commands = commandsFor('superuser')
  expect(titles(findCommands(commands, ''))).not.toContain('Drain kelvin_25')
  expect(titles(findCommands(commands, 'kelvin drain'))).toEqual(['Drain kelvin_25'])
})

test('findCommands() adds the records that the server has found, once and last', () => {
  const job = (id: string, name: string): Command => ({
    ...{ id: `job ${id}`, title: `${name} ${id}`, group: 'Job' },
    href: `/jobs/${id}`,
  })
  const records = [job('abcdefghijklmno', 'GHZ'), job('ppppppppppppppp', 'GHZ of May')]
  const found = findCommands(commandsFor('user'), 'ghz', records)
  expect(titles(found)).toEqual(['GHZ abcdefghijklmno', 'GHZ of May ppppppppppppppp'])
  // Many commands leave a place to records.
  const many = Array.from({ length: 30 }, (_, at): Command => ({ ...job(`${at}`, 'GHZ'), id: `one ${at}` }))
  expect(titles(findCommands(many, 'ghz', records)).slice(-2)).toEqual(records.map(({ title }) => title))
})
