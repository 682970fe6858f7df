/**
 * `bun run scripts/testing/recipes/check-recipes.ts [TEXT]`: carries out each recipe of CONTRIBUTING.md in a
 * scratch copy of this checkout: its edits, its commands, then the source rules and the compiler. TEXT
 * selects recipes by their heading.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { listFiles } from '../../source-checks/source-tree.ts'
import { selectTests } from '../parts.ts'
import { runFiles } from '../run-files.ts'
import { differences, edited, type Recipe } from './recipe.ts'
import { RECIPES } from './recipes.ts'

const ROOT = join(import.meta.dir, '../../..')
const LIMITS = { deadlineMs: 600_000, testTimeoutMs: 120_000, parallel: 2 }
/** Files that git ignores and tests need. */
const BUILT = [
  'src/simulator/kernel/kernel.wasm',
  'clients/contract/openapi.json',
  ...new Glob('clients/js/src/generated/*.ts').scanSync({ cwd: ROOT }),
]

/** A copy of this checkout with the packages of it, of which git knows each file. */
function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recipe-'))
  for (const file of [...listFiles(ROOT), ...BUILT]) {
    if (!existsSync(join(ROOT, file))) continue
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(ROOT, file), join(folder, file), { preserveTimestamps: true, verbatimSymlinks: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const args of [
    ['init', '-q'],
    ['add', '--all', '--', '.', ':!node_modules'],
  ])
    Bun.spawnSync(['git', ...args], { cwd: folder })
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n')
  return folder
}

/** The output of a program that failed; '' when it succeeded. */
async function failureOf(command: readonly string[], cwd: string): Promise<string> {
  const run = Bun.spawn([...command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])
  return (await run.exited) === 0 ? '' : `${command.join(' ')}: ${out}${err}`
}

const BUN = process.execPath
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'npm run docs': [BUN, 'run', 'scripts/build-docs.ts'],
  'npm run clients': [BUN, 'run', 'scripts/clients/build-clients.ts'],
}

/** Runs a command of a recipe; tests without the build, since none of them needs the executable. */
async function execute(command: string, root: string): Promise<string> {
  const script = SCRIPTS[command]
  if (script) return failureOf(script, root)
  const [, golden, paths] = /^(UPDATE_GOLDEN=1 )?npm test -- (.*)$/.exec(command) ?? []
  if (paths === undefined) return `${command}: no such command`
  const all = [...new Glob('tests/**/*.test.ts').scanSync({ cwd: root })].sort()
  const files = selectTests(all, paths.split(' '))
  if (files.length === 0) return `${command}: no such tests`
  if (golden)
    return failureOf(['env', 'UPDATE_GOLDEN=1', BUN, 'test', ...files.map((file) => `./${file}`)], root)
  const { failures } = await runFiles(
    files.map((file) => [file]),
    { root, ...LIMITS, onRun: () => undefined },
  )
  return failures.map(({ file, test, message }) => `${file} › ${test}: ${message}`).join('\n')
}

/** What is wrong with a recipe; '' if it works as printed. */
async function check(recipe: Recipe): Promise<string> {
  const problems = differences(recipe, readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'))
  if (problems.length > 0) return problems.join('\n')
  const folder = copyCheckout()
  try {
    for (const edit of recipe.edits) {
      const path = join(folder, edit.file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, edited(existsSync(path) ? readFileSync(path, 'utf8') : '', edit))
    }
    for (const command of recipe.commands) {
      const problem = await execute(command, folder)
      if (problem !== '') return problem
    }
    const rules = await failureOf([BUN, 'run', 'scripts/check-source.ts'], folder)
    return rules || (await failureOf([BUN, 'node_modules/typescript/bin/tsc', '--noEmit'], folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const [selected = ''] = process.argv.slice(2)
let passed = 0
const problems: string[] = []
for (const recipe of RECIPES.filter(({ heading }) => heading.includes(selected))) {
  const problem = await check(recipe).catch(String)
  if (problem === '') passed += 1
  else problems.push(`failed: ${recipe.heading}: ${problem}`)
  console.log(`${problem === '' ? 'works' : 'FAILS'}  ${recipe.heading}`)
}
console.log(['', ...problems, `${passed} passed, ${problems.length} failed`].join('\n'))
process.exitCode = passed > 0 && problems.length === 0 ? 0 : 1
