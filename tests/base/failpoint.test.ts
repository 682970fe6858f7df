import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { armFailpoint, type Failpoint, failpoint, listFailpoints } from '../../src/base/failpoint.ts'
import { AppError } from '../../src/base/index.ts'
import { runSvc, SVC } from '../support/executable/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FAILPOINTS = listFailpoints()
const root = join(import.meta.dir, '../../src')
const sources = [...new Glob('**/*.ts').scanSync({ cwd: root })]
  .filter((file) => file !== 'base/failpoint.ts')
  .map((file) => readFileSync(join(root, file), 'utf8'))

function linesOf(code: string): number {
  return sources.reduce((sum, text) => sum + text.split(code).length - 1, 0)
}

/**
 * The number of lines of code with each failure point; a driver runs both kinds of tasks through the same
 * lines.
 */
function visitsOf(name: string): number {
  const named =
    linesOf(`failpoint('${name}')`) + linesOf(`failpoint(\`${name.replace(/^\w+/, `\${task.noun}`)}\`)`)
  const [, intent = '', step] = /^(.+)\.(before|inside|after)$/.exec(name) ?? []
  const isStep = sources.some((text) => text.includes(`failpoint(\`\${intent}.${step}\`)`))
  return named + (isStep && intentIsWritten(intent) ? 1 : 0)
}

/** The intent of a record write consists of the verb and the collection. */
function intentIsWritten(intent: string): boolean {
  const [verb, collection] = intent.split(' ')
  return sources.some(
    (text) =>
      new RegExp(`(\\.write\\(|inShortWrites\\([^']*)\\s*'${intent}'`).test(text) ||
      (text.includes(`.write(\`${verb} \${collection.name}\``) &&
        sources.some((each) => each.includes(`name: '${collection}'`))),
  )
}

afterEach(() => armFailpoint(undefined))

describe('failpoint()', () => {
  test('acts at the visit it was armed for, once', () => {
    armFailpoint('finish job.inside:2:throw')
    failpoint('finish job.inside')
    failpoint('finish job.after')
    expect(() => failpoint('finish job.inside')).toThrow('failpoint finish job.inside')
    failpoint('finish job.inside')
  })

  test('does nothing while none is armed', () => {
    armFailpoint('')
    for (const name of FAILPOINTS) failpoint(name as Failpoint)
  })
})

describe('armFailpoint()', () => {
  test.each([
    ['nowhere:1:kill', 'no failure point is called "nowhere"; there are: submit job.before'],
    ['outbox.sent:0:kill', '"0" is not a count of visits'],
    ['outbox.sent:1.5:kill', '"1.5" is not a count'],
    ['outbox.sent::kill', '"" is not a count'],
    ['outbox.sent:1:explode', 'must end with one of :kill, :throw, :hang'],
    ['outbox.sent:1:kill:2', 'must end with one of'],
    ['outbox.sent', '"" is not a count'],
  ])('refuses %s', (text, reason) => {
    expect(() => armFailpoint(text)).toThrow(AppError)
    expect(() => armFailpoint(text)).toThrow(`SVC_FAILPOINT: `)
    expect(() => armFailpoint(text)).toThrow(reason)
  })
})

test.each(FAILPOINTS.map((name) => [name]))('%s is at one line of the code', (name) => {
  expect(visitsOf(name)).toBe(1)
})

test('each failure point in the code is declared', () => {
  const called = sources.flatMap((text) =>
    [...text.matchAll(/failpoint\('([^']*)'\)/g)].map((match) => match[1]),
  )
  expect(called.filter((name) => !FAILPOINTS.includes(name ?? ''))).toEqual([])
})

describe('the executable for users', () => {
  test('has no failure points', async () => {
    const bytes = Buffer.from(await Bun.file(SVC).arrayBuffer())
    // Proves that the search finds names where they exist.
    expect(bytes.includes('SVC_ACCESS_TOKEN')).toBe(true)
    // The documents inside the executable name the variable.
    const found = ['no failure point is called', ...FAILPOINTS].filter((name) => bytes.includes(name))
    expect(found).toEqual([])
  })

  test('ignores SVC_FAILPOINT', async () => {
    using folder = temporaryFolder()
    const run = await runSvc(['--version'], { cwd: folder.path, env: { SVC_FAILPOINT: 'nonsense' } })
    expect(run).toMatchObject({ status: 0, err: '' })
  })
})
