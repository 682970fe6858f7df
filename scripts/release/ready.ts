import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { run } from './run.ts'
import { TARGETS, type Target } from './runtime.ts'
import { formsOf } from './version.ts'

const REPOSITORY = join(import.meta.dir, '../..')

interface Wanted {
  version: string
  /** Folder that the release is to make. */
  dist: string
  /** A trial: the tree may be changed, and the changelog unwritten. */
  isQuick: boolean
  /** Names of targets; none = all. */
  targets: readonly string[]
  /** Whether the packages are installed and checked. */
  isChecked: boolean
  /** File of the secret key; undefined without a signature. */
  key: string | undefined
}

/** What makes the packages, and what installs and checks them. */
const TOOLS = {
  made: ['git', 'npm', 'tar', 'gzip', 'go', 'python3', 'mmdebstrap'],
  checked: ['skopeo', 'umoci', 'rpm', 'cpio', 'lintian', 'qemu-aarch64-static'],
}

/** What is missing on this machine, each in a sentence. */
async function missingTools({ isChecked, key }: Pick<Wanted, 'isChecked' | 'key'>): Promise<string[]> {
  const needed = [
    ...TOOLS.made,
    ...(isChecked ? TOOLS.checked : []),
    ...(key === undefined ? [] : ['minisign']),
  ]
  const problems = needed
    .filter((tool) => !Bun.which(tool))
    .map(
      (tool) =>
        `the program ${tool} is missing; .ci/packages full installs ${tool === 'minisign' ? 'the others' : 'it'}`,
    )
  if (Bun.which('python3')) {
    const ensurepip = Bun.spawn(['python3', '-c', 'import ensurepip'], {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    if ((await ensurepip.exited) !== 0) problems.push('python3 has no venv; .ci/packages full installs it')
  }
  if (process.getuid?.() !== 0) problems.push('the command needs root, for the base of the image')
  if (key !== undefined && !existsSync(key)) problems.push(`--key: there is no file ${key}`)
  return problems
}

/** Files that name the version, each with what it has. */
async function namedVersions(): Promise<Map<string, string | undefined>> {
  const text = (path: string) => readFile(join(REPOSITORY, path), 'utf8')
  const found = new Map<string, string | undefined>([
    ['package.json', manifest.version],
    ['package-lock.json', lock.version],
    ['clients/js/package.json', JSON.parse(await text('clients/js/package.json')).version],
  ])
  for (const path of [
    'clients/python/src/svc_client/_version.py',
    'drivers/python/src/svc_driver/_version.py',
  ])
    found.set(path, /^VERSION = "(.+)"$/m.exec(await text(path))?.[1])
  return found
}

/**
 * Checks that a release can be made before anything is built, and returns its targets.
 *
 * @throws Error with a line for each problem.
 */
export async function assertReady(wanted: Wanted): Promise<readonly Target[]> {
  const { version, dist, isQuick, targets } = wanted
  const { semver, python } = formsOf(version)
  const problems: string[] = await missingTools(wanted)
  if (existsSync(dist)) problems.push(`${dist} exists: remove it first`)
  for (const [path, named] of await namedVersions()) {
    const expected = path.endsWith('.py') ? python : semver
    if (named !== expected) problems.push(`${path} has the version ${named}, not ${expected}`)
  }
  for (const name of targets) {
    if (!TARGETS.some((target) => target === name))
      problems.push(`--target is "${name}"; the targets are ${TARGETS.join(' and ')}`)
  }
  if (!isQuick) {
    const changes = await run(['git', 'status', '--porcelain'], { cwd: REPOSITORY })
    if (changes !== '') problems.push(`the tree has changes that are not committed:\n${changes}`)
    const changelog = await readFile(join(REPOSITORY, 'CHANGELOG.md'), 'utf8')
    const heading = new RegExp(`^## ${semver.replaceAll('.', '\\.')} — \\d{4}-\\d{2}-\\d{2}$`, 'm')
    if (!heading.test(changelog))
      problems.push(
        `CHANGELOG.md has no section "## ${semver} — YYYY-MM-DD"; rename "Unreleased" and date it`,
      )
  }
  if (problems.length > 0) throw new Error(`svc ${version} cannot be released:\n${problems.join('\n')}`)
  return TARGETS.filter((target) => targets.length === 0 || targets.includes(target))
}
