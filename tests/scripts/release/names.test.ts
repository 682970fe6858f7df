import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { NAMES } from '../../../scripts/release/names.ts'

const ROOT = join(import.meta.dir, '../../..')
/** What readers see: documents, examples, and the commands that the dashboard offers. */
const SOURCES = [
  'README.md',
  'ui/jobs/first-programs.ts',
  'src/devices/python-worker/python-worker.ts',
  'src/devices/tuning/python-routines/routine-process.ts',
  ...new Glob('{docs,clients,drivers}/**/*.{md,py}').scanSync({ cwd: ROOT }),
].filter((path) => !path.includes('node_modules') && !path.includes('/tests/'))
const texts = await Promise.all(
  SOURCES.map(async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const),
)

/** All matches of `pattern` in what readers see, with their file. */
function printed(pattern: RegExp): (readonly [path: string, text: string])[] {
  return texts.flatMap(([path, text]) =>
    [...text.matchAll(pattern)].map(([, found = '']) => [path, found] as const),
  )
}

const { clients, devices, npm, program, wheel } = NAMES
const OURS = [clients.python, clients.javascript, clients.go, devices, npm, program, wheel]
const file = (name: string) => name.replace('@', '').replace('/', '-')

test('no printed command installs one of our names from a public index: they are not ours yet', () => {
  const commands = printed(/\b((?:pip3?|npm|apt|dnf) install [^\n`]+)/g)
  expect(commands.length).toBeGreaterThan(10)
  // A package that names an extra of itself is installed: pip fetches the extra only.
  const fromIndex = commands
    .filter(([path]) => !path.includes('/src/svc_'))
    .flatMap(([path, command]) =>
      command
        .replace(/#.*| in a checkout.*/, '')
        .split(/\s+/)
        .map((word) => word.replace(/^['"]|['";,.]+$/g, '').replace(/\[.*/, ''))
        .filter((word) => OURS.includes(word as (typeof OURS)[number]))
        .map((word) => `${path}: ${command} (${word})`),
    )
  expect(fromIndex, 'install ./FOLDER of a checkout, or a file of dist/').toEqual([])
})

test.each([
  ['the npm packages', /(@svc\/[\w-]+)/g, [clients.javascript, npm]],
  ['the Go module', /\b([\w.]+\/clients\/go)(?![\w/-])/g, [clients.go]],
  [
    'the wheels',
    /\b(svc_[a-z]+)-[\d*…]/g,
    [wheel, clients.python, devices].map((name) => name.replace('-', '_')),
  ],
  [
    'the npm archives',
    /\b(svc-[a-z]+)-(?:\d+|\*|linux-x64-[\d*]+)[\w.]*\.tgz/g,
    [npm, clients.javascript].map(file),
  ],
] as const)('the documents print the names of the list: %s', (_, pattern, names) => {
  const others = printed(pattern).filter(([, name]) => !(names as readonly string[]).includes(name))
  expect(others).toEqual([])
})

test('the page of installation says that the public names are not ours', async () => {
  expect(await Bun.file(join(ROOT, 'docs/how-to/install.md')).text()).toContain(
    'public names of the packages are not ours yet',
  )
})
