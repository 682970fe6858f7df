/**
 * Builds the executable: `npx bun run scripts/build-binary.ts [--target linux-arm64] [--outfile PATH]
 * [--failpoints]`. Also makes `<outfile>-driver`, a link under which it runs as the driver, and, unless with
 * failpoints, the bill of materials `<outfile>.cdx.json` and `SHA256SUMS` beside it.
 */
import { chmod, cp, mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import manifest from '../package.json' with { type: 'json' }
import { hashOf } from '../src/cli/verify/checksums.ts'
import { buildKernel } from './build-kernel.ts'
import { buildLicenses } from './build-licenses.ts'
import { buildUi } from './build-ui.ts'
import type { BundledPackage } from './licenses/collect.ts'
import { renderSbom } from './licenses/sbom.ts'
import { buildAndPlace } from './place-build.ts'
import { run } from './release/run.ts'
import { pinnedRuntime, TARGETS, type Target } from './release/runtime.ts'
import { findWorkerEntries } from './worker-entries.ts'

const repository = join(import.meta.dir, '..')

interface BinaryOptions {
  /** Path of the executable. */
  outfile: string
  /** The system on which it runs; the one at hand when absent. */
  target?: Target | undefined
  /** Compiles the failure points of the crash tests in; never for release. */
  failpoints?: boolean
}

/** What was built: bytes of the executable, ms that its steps took. */
interface BuiltBinary {
  bytes: number
  uiMs: number
  compileMs: number
}

/** Builds dashboard and executable. Throws with the output of the compiler when that fails. */
export async function buildBinary(options: BinaryOptions): Promise<BuiltBinary> {
  const { outfile, target, failpoints = false } = options
  const started = performance.now()
  // The licenses are those of the files in the bundle, which contains the kernel.
  await buildKernel()
  // As does what the commands for users send and receive.
  const client = [process.execPath, 'run', 'scripts/clients/build-clients.ts', '--ignored']
  const [packages] = await Promise.all([buildLicenses(), buildUi(), run(client, { cwd: repository })])
  const runtime = target && (await pinnedRuntime(target))
  const built = performance.now()
  const { declared } = await findWorkerEntries(repository)
  // The compiler leaves source maps in the folder of its output although it embeds them.
  const staged = await mkdtemp(join(tmpdir(), 'svc-build-'))
  try {
    const web = await stageWeb(join(staged, 'web'))
    await buildAndPlace(basename(outfile), outfile, (path) =>
      compile(compilerArguments(path, { workers: declared, web, target, runtime, failpoints })),
    )
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
  await chmod(outfile, 0o755)
  await linkDriver(outfile)
  if (!failpoints) await describe(outfile, packages)
  const { size } = await stat(outfile)
  return { bytes: size, uiMs: built - started, compileMs: performance.now() - built }
}

/** Copies the dashboard to `folder`, of files with a compressed form only that one; returns `folder`. */
async function stageWeb(folder: string): Promise<string> {
  const isNeeded = async (name: string) => name.endsWith('.br') || !(await Bun.file(`${name}.br`).exists())
  await cp(join(repository, 'web'), folder, { recursive: true, filter: isNeeded })
  return folder
}

interface Inputs {
  workers: readonly string[]
  /** Folder of the dashboard; the executable has it under the same name. */
  web: string
  target: Target | undefined
  /** Path of the runtime that the executable contains; that of the compiler when absent. */
  runtime: string | undefined
  failpoints: boolean
}

function compilerArguments(outfile: string, { workers, web, target, runtime, failpoints }: Inputs) {
  return [
    'build',
    '--compile',
    '--bytecode',
    // Bytecode alone would choose cjs, which has no top-level await.
    '--format=esm',
    // Code that entry points share is stored once, and a command loads only what it runs.
    '--splitting',
    // Identifiers stay: they cost less than 0.1 MB and make stack traces readable.
    '--minify-syntax',
    '--minify-whitespace',
    '--sourcemap',
    // Without these two the executable runs code named by files of whatever folder it is started in.
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    '--asset',
    web,
    '--asset',
    join(repository, 'licenses'),
    ...(failpoints ? ['--feature=FAILPOINTS'] : []),
    ...(target ? [`--target=bun-${target}`] : []),
    ...(runtime ? [`--compile-executable-path=${runtime}`] : []),
    '--outfile',
    outfile,
    // Names the entry points; with nine of them, the compiler would take the folder above it.
    '--root',
    join(repository, 'src'),
    join(repository, 'src/cli/main.ts'),
    // Threads are entry points of their own: one file as main module and thread hangs in the executable.
    ...workers.map((file) => join(repository, file)),
  ]
}

/** Runs the compiler in the repository, because paths in stack traces are relative to its folder. */
async function compile(args: string[]): Promise<void> {
  const compiler = Bun.spawn([process.execPath, ...args], { cwd: repository, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([
    new Response(compiler.stdout).text(),
    new Response(compiler.stderr).text(),
    compiler.exited,
  ])
  if (code !== 0) throw new Error(`bun build ended with ${code}\n${out}${err}`)
}

/** Writes the bill of materials and the checksums next to a released executable. */
async function describe(outfile: string, packages: readonly BundledPackage[]): Promise<void> {
  const sbom = `${outfile}.cdx.json`
  const sha256 = await hashOf(outfile)
  await Bun.write(
    sbom,
    `${JSON.stringify(renderSbom({ version: manifest.version, sha256 }, packages), null, 2)}\n`,
  )
  const sums = [`${sha256}  ${basename(outfile)}`, `${await hashOf(sbom)}  ${basename(sbom)}`]
  const list = join(dirname(outfile), 'SHA256SUMS')
  await Bun.write(list, `${sums.join('\n')}\n`)
  // Archives of them are the same whatever the umask of who builds.
  await Promise.all([sbom, list].map((path) => chmod(path, 0o644)))
}

async function linkDriver(outfile: string): Promise<void> {
  const link = `${outfile}-driver`
  await rm(link, { force: true })
  await symlink(basename(outfile), link)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      target: { type: 'string' },
      outfile: { type: 'string', default: join(repository, 'svc') },
      failpoints: { type: 'boolean', default: false },
    },
  })
  const outfile = resolve(values.outfile)
  const target = TARGETS.find((each) => each === values.target)
  if (values.target !== undefined && !target)
    throw new Error(`there is no target ${values.target}; choose from ${TARGETS.join(', ')}`)
  const { bytes, uiMs, compileMs } = await buildBinary({
    outfile,
    target,
    failpoints: values.failpoints,
  })
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  console.log(
    `${outfile}: ${(bytes / 1e6).toFixed(1)} MB (dashboard ${seconds(uiMs)}, compile ${seconds(compileMs)})`,
  )
}
