import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '..')

test('the generated reference is fresh', async () => {
  const check = Bun.spawn([process.execPath, 'run', 'scripts/build-docs.ts', '--check'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  expect(await new Response(check.stderr).text()).toBe('')
  expect(await check.exited).toBe(0)
})

test('the generated parts of the clients are fresh', async () => {
  const check = Bun.spawn([process.execPath, 'run', 'scripts/clients/build-clients.ts', '--check'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  expect(await new Response(check.stderr).text()).toBe('')
  expect(await check.exited).toBe(0)
})

test('every link between pages leads to a file', () => {
  const broken: string[] = []
  for (const page of ['README.md', 'CONTRIBUTING.md', ...new Glob('docs/**/*.md').scanSync({ cwd: ROOT })]) {
    const text = readFileSync(join(ROOT, page), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      const isLocal = !/^[a-z]+:/.test(target)
      if (isLocal && !existsSync(join(ROOT, dirname(page), target))) broken.push(`${page}: ${target}`)
    }
  }
  expect(broken).toEqual([])
})

test('every file or folder of the repository that a page names exists', () => {
  const folders = 'bench|clients|drivers|examples|scripts|src|tests|ui'
  const named = new RegExp(`(?<![\\w/.-])(?:${folders})/[\\w./-]*\\w/?(?![\\w/*<-])`, 'g')
  const missing: string[] = []
  for (const page of new Glob('docs/**/*.md').scanSync({ cwd: ROOT })) {
    for (const [path = ''] of readFileSync(join(ROOT, page), 'utf8').matchAll(named)) {
      if (!existsSync(join(ROOT, path))) missing.push(`${page}: ${path}`)
    }
  }
  expect(missing).toEqual([])
})

/** Files of `src` and `ui` that a page names, with the function or class after the colon, if any. */
function namedFiles(text: string) {
  return [
    ...text.matchAll(
      /`((?:base|cli|db|devices|driver|protocol|qasm|server|simulator|ui)\/[\w/.-]+\.tsx?):?(\w*)`/g,
    ),
  ].map(([, file = '', name = '']) => ({ file, name }))
}

/** Whether a source declares a function, class, constant or member of this name. */
function declares(source: string, name: string): boolean {
  const top = `(?:function|class|const)\\s+${name}\\b`
  const member = `^\\s+(?:(?:async|get|static|readonly)\\s+)*${name}\\s*[(<:=]`
  return new RegExp(`${top}|${member}`, 'm').test(source)
}

test('each file and function that the flows and state machines name exists', () => {
  const pages = ['docs/explanation/state-machines.md', 'docs/explanation/flows.md']
  const text = pages.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n')
  const missing: string[] = []
  for (const { file, name } of namedFiles(text)) {
    const path = join(ROOT, file.startsWith('ui/') ? '' : 'src', file)
    if (!existsSync(path)) missing.push(file)
    else if (name !== '' && !declares(readFileSync(path, 'utf8'), name)) missing.push(`${file}:${name}`)
  }
  expect(missing).toEqual([])
})

/** The flows of a job from its submission to its charge. */
const WALK = ['A job', 'A judgement', 'An estimate']
const IN_WALK = /^(server\/(jobs|qpus)|db\/(store|journal))\//
/** These import what all routes of jobs run or show. */
const OF_ALL_ROUTES: readonly string[] = ['server/jobs/routes.ts', 'server/jobs/view.ts']

/** What a file imports or passes on for more than types: names, each with the file that it is from. */
function takenBy(file: string, word: 'import' | 'export'): [name: string, from: string][] {
  const source = readFileSync(join(ROOT, 'src', file), 'utf8')
  const statements = source.matchAll(new RegExp(`^${word} (?!type )\\{?([^'}]+)\\}? from '(\\.[^']+)'`, 'gm'))
  return [...statements].flatMap(([, names = '', path = '']) => {
    const from = posix.join(posix.dirname(file), path)
    return [...names.matchAll(/(?<!\btype )\b(?!type\b)(\w+)(?: as \w+)?/g)].map(
      ([, name = '']) => [name, from] as [string, string],
    )
  })
}

/** The files of the walk that a file uses, those behind the face of a feature too. */
function importsInWalk(file: string): string[] {
  return takenBy(file, 'import').flatMap(([name, from]) => {
    if (!IN_WALK.test(from)) return []
    if (!from.endsWith('/index.ts')) return [from]
    return takenBy(from, 'export').flatMap(([each, own]) => (each === name && IN_WALK.test(own) ? [own] : []))
  })
}

test('the flows name every file that a job passes from its submission to its charge', () => {
  const [, ...flows] = readFileSync(join(ROOT, 'docs/explanation/flows.md'), 'utf8').split('\n## ')
  const walk = flows.filter((flow) => WALK.some((title) => flow.startsWith(`${title}\n`)))
  const named = new Set(walk.flatMap((flow) => namedFiles(flow).map(({ file }) => file)))
  const isOfJobs = (file: string) => file.includes('/jobs/') && !OF_ALL_ROUTES.includes(file)
  const passed = [...named].filter((file) => IN_WALK.test(file) && isOfJobs(file))
  const missing = new Set(passed.flatMap(importsInWalk).filter((file) => !named.has(file)))
  expect([...missing]).toEqual([])
})

/** Files that each flow may cross; a larger number means a detour. Those of the walk are all of them. */
const MAX_FILES_BY_FLOW: Readonly<Record<string, number>> = {
  'A job': 75,
  'A judgement': 25,
  'An estimate': 14,
  'A circuit that ends before its job': 6,
  'Waiting for a job': 5,
  'A reading': 15,
  'A calibration': 18,
  'A calibration of the tuner itself': 4,
  'From a routine to the device file': 8,
  'From a click to another open page': 11,
  'What a page reads together': 3,
  'From an option to a device': 9,
  'A record': 18,
  'An export': 6,
  "An operator's action": 11,
  'A connection': 10,
  'A login through a provider': 8,
  'A mailed link': 7,
  'A webhook and a mail': 13,
  'Pruning and reload': 6,
  'A change of a setting': 3,
  'Backup and restore': 13,
  'What is kept in memory': 16,
}

test('no flow crosses more files than its limit', () => {
  const [, ...flows] = readFileSync(join(ROOT, 'docs/explanation/flows.md'), 'utf8').split('\n## ')
  const files = flows.map((flow) => {
    const [title = ''] = flow.split('\n')
    return [title, new Set(namedFiles(flow).map(({ file }) => file)).size] as const
  })
  expect(files.map(([title]) => title)).toEqual(Object.keys(MAX_FILES_BY_FLOW))
  expect(files.filter(([title, count]) => count > (MAX_FILES_BY_FLOW[title] ?? 0))).toEqual([])
})

test('the flows name all that follows changes, with what is right when a memory disagrees with the rows', () => {
  const text = readFileSync(join(ROOT, 'docs/explanation/flows.md'), 'utf8')
  const [, memories = ''] = text.split('\n## What is kept in memory\n')
  const named = namedFiles(memories).map(({ file }) => file)
  const follows = /\b(?:changes|upcoming|withdrawn)\.subscribe\(|new Memory\(|\.version\(\)/
  const followers = [...new Glob('{db,server}/**/*.ts').scanSync(join(ROOT, 'src'))].filter(
    (file) =>
      !/^db\/(?:engine|sqlite|postgres|records)\/|^db\/open-database/.test(file) &&
      follows.test(readFileSync(join(ROOT, 'src', file), 'utf8')),
  )
  expect(followers.length).toBeGreaterThan(5)
  expect(followers.filter((file) => !named.includes(file))).toEqual([])
})
