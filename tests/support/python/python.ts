/**
 * The public tools that tests run under Python, in an environment of their own outside of the repository.
 * `bun tests/support/python/python.ts` installs it ahead of the tests, as `npm run check:full` does.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** An environment: its packages, with their hashes, and how pip installs them. */
interface Environment {
  /** The lock or list that has its packages. */
  requirements: string
  /** Whose requirements of the lock it needs, with what they need; without one all of the list. */
  group?: string
  options: readonly string[]
  /** Minor version of Python 3 that the packages need; else that of `python3`, 11 or newer. */
  minor?: number
}

const TOOLS: Environment = {
  requirements: 'requirements.txt',
  group: 'tools',
  options: ['--only-binary', ':all:'],
}
/** The assembler of cluster modules: a program inside a package that has no wheels and is not imported. */
const ASSEMBLER: Environment = {
  requirements: 'requirements-assembler.txt',
  options: ['--no-binary', 'qblox-instruments'],
}

/** The driver of the predecessor with one of its schedulers: 140 packages, 1.3 GB when installed. */
const PREDECESSOR: Environment = {
  requirements: 'requirements-predecessor.txt',
  group: 'predecessor',
  options: [],
  minor: 12,
}

/**
 * The interpreter that has the predecessor's driver, installed by the first caller within minutes. Undefined
 * where that is not possible, on CI too: it needs Python 3.12, and no other.
 */
export async function openPredecessor(): Promise<string | undefined> {
  try {
    return await install(PREDECESSOR)
  } catch (error) {
    console.warn(`Tests with the predecessor's driver are skipped: ${(error as Error).message}`)
    return undefined
  }
}

/** The vendor's client of clusters, with all that it needs. */
const CLUSTER: Environment = {
  requirements: 'requirements-cluster.txt',
  group: 'cluster',
  options: ['--only-binary', ':all:', '--no-binary', 'qblox-instruments'],
}

/** A Python with one version of the client of clusters. */
export interface ClusterPython {
  interpreter: string
  /** Folders of packages that come before its own. */
  paths: readonly string[]
}

/** The libraries of the examples of `drivers/python`, 1.2 GB: for a command of its own. */
const DEVICES: Environment = {
  requirements: 'requirements-cluster.txt',
  group: 'devices',
  options: ['--only-binary', ':all:'],
}

/** What the Python client needs, and what checks its types. */
const CLIENT: Environment = {
  requirements: 'requirements.txt',
  group: 'client',
  options: ['--only-binary', ':all:'],
}

/** What the tests of the Python client need at least, for every version of Python that it supports. */
const VERSIONS: Environment = {
  requirements: 'requirements.txt',
  group: 'versions',
  options: ['--only-binary', ':all:'],
}

/** The libraries whose circuits and interfaces the Python client adapts, 0.8 GB: for a command of its own. */
const ADAPTERS: Environment = {
  requirements: 'requirements.txt',
  group: 'adapters',
  options: ['--only-binary', ':all:'],
}

/** The package of IBM, of which tests read the names: it is installed without what it needs. */
const IBM_RUNTIME: Environment = {
  requirements: 'requirements-ibm-runtime.txt',
  options: ['--only-binary', ':all:'],
}

/** Qiskit Experiments, for the interpreter of `openAdaptersPython`. */
const EXPERIMENTS: Environment = {
  requirements: 'requirements-experiments.txt',
  options: ['--only-binary', ':all:', '--no-deps'],
}

/** The tools whose programs the corpus holds, 1.7 GB: for a command of its own. */
const EXPORTS: Environment = {
  requirements: 'requirements.txt',
  group: 'exports',
  options: ['--only-binary', ':all:'],
}

/** The simulators that a benchmark compares ours with, 0.5 GB. */
const PEERS: Environment = {
  requirements: 'requirements.txt',
  group: 'peers',
  options: ['--only-binary', ':all:'],
}

/** A scheduler of the same instruments, 1.3 GB with what it needs: for a command of its own. */
const SCHEDULES: Environment = {
  requirements: 'requirements-schedules.txt',
  group: 'schedules',
  options: ['--only-binary', ':all:', '--no-binary', 'qblox-instruments'],
}

/**
 * The interpreter that has `requirements.txt`; the first caller installs it (about a minute). Undefined where
 * that is not possible, which skips the tests on a developer's machine; on CI that is an error.
 */
export function openPython(): Promise<string | undefined> {
  return openEnvironment(TOOLS)
}

/** The interpreter that has what the examples of devices in Python need; undefined where `openPython` is. */
export function openDevicesPython(): Promise<string | undefined> {
  return openEnvironment(DEVICES)
}

/** The interpreter that has what the Python client and its tests need; undefined where `openPython` is. */
export function openClientPython(): Promise<string | undefined> {
  return openEnvironment(CLIENT)
}

/** The interpreter that has Qiskit, PennyLane and Cirq for the client; undefined where `openPython` is. */
export function openAdaptersPython(): Promise<string | undefined> {
  return openEnvironment(ADAPTERS)
}

/** The folder of qiskit-ibm-runtime, whose sources are read; undefined where `openPython` is. */
export function openIbmRuntime(): Promise<string | undefined> {
  return openPackage(IBM_RUNTIME, 'qiskit_ibm_runtime')
}

/** The folder of packages that adds Qiskit Experiments; undefined where `openPython` is. */
export async function openExperiments(): Promise<string | undefined> {
  const found = await openPackage(EXPERIMENTS, 'qiskit_experiments')
  return found && dirname(found)
}

async function openPackage(environment: Environment, name: string): Promise<string | undefined> {
  const python = await openEnvironment(environment)
  if (python === undefined) return undefined
  const folder = dirname(dirname(python))
  const [found] = new Bun.Glob(`lib/python3*/site-packages/${name}`).scanSync({
    cwd: folder,
    onlyFiles: false,
  })
  if (found === undefined) throw new Error(`${folder} has no ${name}`)
  return join(folder, found)
}

/**
 * The interpreter of Python 3.`minor` that has what the tests of the Python client need; undefined where this
 * version is not installed, on CI too: no machine has all of them.
 */
export async function openPythonVersion(minor: number): Promise<string | undefined> {
  if (findPython(minor) === undefined) return undefined
  return install({ ...VERSIONS, minor })
}

/** The interpreter that has the tools that write OpenQASM; undefined where `openPython` is. */
export function openExportsPython(): Promise<string | undefined> {
  return openEnvironment(EXPORTS)
}

/** The interpreter that has qulacs, qsim and stim; undefined where `openPython` is. */
export function openPeersPython(): Promise<string | undefined> {
  return openEnvironment(PEERS)
}

/** The interpreter that has quantify-scheduler; undefined where `openPython` is. */
export function openSchedules(): Promise<string | undefined> {
  return openEnvironment(SCHEDULES)
}

/** The vendor's assembler of the sequencer language for this platform; undefined where `openPython` is. */
export async function openAssembler(): Promise<string | undefined> {
  const python = await openEnvironment(ASSEMBLER)
  if (python === undefined) return undefined
  const folder = dirname(dirname(python))
  const [found] = new Bun.Glob(
    'lib/python3*/site-packages/qblox_instruments/assemblers/q1asm_linux',
  ).scanSync(folder)
  if (found === undefined) throw new Error('the package has no assembler for Linux')
  const program = join(folder, found)
  chmodSync(program, 0o755)
  return program
}

/**
 * The vendor's client in the versions that speak each dialect. The older one is that of the assembler, and
 * shares the packages that the newer one needs. Undefined where `openPython` is.
 */
export async function openClusterPythons(): Promise<Record<'1.1.1' | '1.4.1', ClusterPython> | undefined> {
  const [interpreter, older] = [await openEnvironment(CLUSTER), await openEnvironment(ASSEMBLER)]
  if (interpreter === undefined || older === undefined) return undefined
  const folder = dirname(dirname(older))
  const [packages] = new Bun.Glob('lib/python3*/site-packages').scanSync({ cwd: folder, onlyFiles: false })
  if (packages === undefined) throw new Error(`${folder} has no packages`)
  return {
    '1.1.1': { interpreter, paths: [join(folder, packages)] },
    '1.4.1': { interpreter, paths: [] },
  }
}

async function openEnvironment(environment: Environment): Promise<string | undefined> {
  try {
    return await install(environment)
  } catch (error) {
    if (process.env['CI']) throw error
    console.warn(`Tests with Python tools are skipped: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

async function install({ requirements, group, options, minor: needed }: Environment): Promise<string> {
  const lock = await Bun.file(join(import.meta.dir, requirements)).text()
  const interpreter = needed === undefined ? Bun.which('python3') : findPython(needed)
  if (!interpreter) throw new Error(`install python3${needed === undefined ? '' : `.${needed}`}`)
  const version = await run([interpreter, '-c', 'import sys; print(sys.version, sys.platform)'])
  const [, minor = '0'] = /^3\.(\d+)/.exec(version) ?? []
  if (needed === undefined && Number(minor) < 11)
    throw new Error(`python3 is ${version.split(' ')[0]}, the tools need 3.11 or newer`)
  const packages = group === undefined ? lock : packagesOf(lock, group)
  const key = Bun.hash(version + packages).toString(36)
  const folder = join(tmpdir(), `svc-python-${key}`)
  if (!existsSync(folder)) await make(interpreter, folder, { packages, options })
  return join(folder, 'bin/python')
}

/** The part of a lock that a group needs: what its requirements name, what that needs, and so on. */
export function packagesOf(lock: string, group: string): string {
  const blocks = lock.split(/^(?=\w)/m).slice(1)
  const needed = new Set([`${group}.in`])
  const isNeeded = (block: string) =>
    /# via (.*)/
      .exec(block)?.[1]
      ?.split(', ')
      .some((user) => needed.has(user)) ?? false
  for (let size = 0; size < needed.size; ) {
    size = needed.size
    for (const block of blocks.filter(isNeeded)) needed.add(/^[\w.-]+/.exec(block)?.[0] ?? '')
  }
  return blocks.filter(isNeeded).join('')
}

/**
 * The first of several installations is used; nothing that tests use contains the path of its environment.
 */
async function make(
  interpreter: string,
  folder: string,
  { packages, options }: { packages: string; options: readonly string[] },
): Promise<void> {
  const draft = mkdtempSync(`${folder}-`)
  try {
    await run([interpreter, '-m', 'venv', draft])
    const list = join(draft, 'requirements.txt')
    await Bun.write(list, packages)
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--require-hashes']
    await run([join(draft, 'bin/python'), ...pip, '--no-deps', ...options, '-r', list])
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Python 3 of this minor version: of the path, or one of pyenv, whose shims run the chosen version only. */
function findPython(minor: number): string | undefined {
  const pyenv = process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv')
  const versions = join(pyenv, 'versions')
  const installed = existsSync(versions) ? readdirSync(versions) : []
  const own = installed.find((version) => version.startsWith(`3.${minor}.`))
  if (own) return join(versions, own, 'bin/python')
  return Bun.which(`python3.${minor}`) ?? undefined
}

async function run(command: string[]): Promise<string> {
  const process = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, status] = await Promise.all([
    new Response(process.stdout).text(),
    new Response(process.stderr).text(),
    process.exited,
  ])
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${err.slice(-2_000)}`)
  return out.trim()
}

if (import.meta.main)
  console.log(await openPython(), await openClientPython(), await openAssembler(), await openClusterPythons())
