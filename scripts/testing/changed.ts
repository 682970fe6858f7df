import { posix } from 'node:path'

/** Files that import or start others. */
const CODE = /\.(ts|tsx)$/
const TEST = /^tests\/.*\.test\.ts$/
/** A file named at the end of a string: an import, an entry point, or a file that is read. */
const NAMED = /([\w./-]+\.\w+)['"`]/g

/** The tests that a change can affect, nearest first, and how many there are in all. */
export interface AffectedTests {
  tests: string[]
  total: number
}

/**
 * Finds the tests that name a file of `changed`, or name a file that does, and so on. All of a distance are
 * taken until there are `enough`; further tests see the change only through more files.
 *
 * @param texts contents of the files of the tree by path
 */
export function affectedTests(
  texts: ReadonlyMap<string, string>,
  changed: readonly string[],
  enough: number,
): AffectedTests {
  const users = usersOf(texts)
  const seen = new Set(changed)
  const tests: string[] = []
  let total = 0
  for (let level = [...seen]; level.length > 0; ) {
    const found = level.filter((file) => TEST.test(file) && texts.has(file)).sort()
    total += found.length
    if (tests.length < enough) tests.push(...found)
    const next = level.flatMap((file) => users.get(file) ?? []).filter((file) => !seen.has(file))
    for (const file of next) seen.add(file)
    level = [...new Set(next)]
  }
  return { tests, total }
}

/** The files that name each file. */
function usersOf(texts: ReadonlyMap<string, string>): Map<string, string[]> {
  const users = new Map<string, string[]>()
  for (const [file, text] of texts) {
    if (!CODE.test(file)) continue
    const names = [...text.matchAll(NAMED)].map(([, name = '']) => name)
    const named = names.flatMap((name) => [posix.join(posix.dirname(file), name), posix.normalize(name)])
    for (const target of new Set(named)) {
      if (!texts.has(target)) continue
      const list = users.get(target)
      if (list) list.push(file)
      else users.set(target, [file])
    }
  }
  return users
}

/**
 * Files that differ from `commit`, new ones included.
 *
 * @throws Error with the message of git when `commit` is unknown
 */
export function changedFiles(root: string, commit: string): string[] {
  const list = (...args: string[]) => {
    const run = Bun.spawnSync(['git', ...args], { cwd: root })
    if (!run.success) throw new Error(run.stderr.toString().trim())
    return run.stdout.toString().split('\0').filter(Boolean)
  }
  const args = ['--end-of-options', commit]
  return [
    ...list('diff', '--name-only', '-z', ...args, '--'),
    ...list('ls-files', '-z', '--others', '--exclude-standard'),
  ]
}
