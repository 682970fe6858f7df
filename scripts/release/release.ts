/** Makes a release in `dist/`. See docs/how-to/make-a-release.md. */
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { CHECKSUMS, hashOf, SIGNATURE } from '../../src/cli/verify/checksums.ts'
import { buildBinary } from '../build-binary.ts'
import { fail, readArguments } from '../testing/read-arguments.ts'
import { makeDocumentation } from './artifacts/documentation.ts'
import { makeGoModule } from './artifacts/go-module.ts'
import { makeImage } from './artifacts/image.ts'
import { makeLinuxPackages } from './artifacts/linux-packages.ts'
import { makeNpmPackages } from './artifacts/npm-packages.ts'
import { describeBuild } from './artifacts/provenance.ts'
import { makePythonPackages } from './artifacts/python-packages.ts'
import { assertReady } from './ready.ts'
import { assertReproducible } from './rebuild.ts'
import { type ReleaseRun, UNSIGNED } from './release-run.ts'
import { run } from './run.ts'
import { TARGETS, type Target } from './runtime.ts'
import { formsOf } from './version.ts'

const USAGE = `Usage: npm run release -- VERSION [options]

Makes every package of a version such as 2026.12.0 or 2026.12.0-rc.1, builds them again to compare their checksums,
and installs them in clean systems. See docs/how-to/make-a-release.md.

  --key FILE        signs the checksums with this secret key of minisign
  --dist FOLDER     folder of the files (dist)
  --target TARGET   ${TARGETS.join(' or ')} instead of both; what is made is not installed
  --no-checks       without the second build and the installation
  --quick           the same, compressed less, from any tree and changelog
  --help
`

const REPOSITORY = join(import.meta.dir, '../..')
interface Options {
  version: string
  dist: string
  targets: readonly Target[]
  isQuick: boolean
}

/**
 * Makes all files of a release but for the signature in `dist`, in place of what is there; after an error
 * those that were made stay.
 */
async function makeRelease({ version, dist, targets, isQuick }: Options): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'svc-release-'))
  await rm(dist, { recursive: true, force: true })
  await mkdir(dist)
  try {
    const executables = new Map<Target, string>()
    const time = new Date((await run(['git', 'log', '-1', '--format=%cI'], { cwd: REPOSITORY })).trim())
    const release: ReleaseRun = { version: formsOf(version), time, dist, work, isQuick, executables }
    for (const target of targets) {
      // The name of the file is part of its bytes.
      const outfile = join(work, target, 'executable/svc')
      await step(`executable for ${target}`, () => buildBinary({ outfile, target }))
      executables.set(target, outfile)
      await copyFile(`${outfile}.cdx.json`, join(dist, `svc-${version}-${target}.cdx.json`))
      await rm(`${outfile}.cdx.json`)
    }
    await step('archives, deb, rpm', () => makeLinuxPackages(release))
    await step('Python packages', () => makePythonPackages(release))
    await step('npm packages', () => makeNpmPackages(release))
    await step('Go module', () => makeGoModule(release))
    await step('container image', () => makeImage(release))
    await step('documentation', () => makeDocumentation(release))
    await step('checksums and provenance', () => writeSums(dist, { version, targets }))
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function step(name: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now()
  await work()
  console.log(`${name}: ${((performance.now() - started) / 1_000).toFixed(1)} s`)
}

async function writeSums(dist: string, what: { version: string; targets: readonly Target[] }): Promise<void> {
  const hashes = new Map<string, string>()
  for (const name of (await readdir(dist)).toSorted()) hashes.set(name, await hashOf(join(dist, name)))
  const provenance = 'provenance.intoto.json'
  await Bun.write(
    join(dist, provenance),
    `${JSON.stringify(await describeBuild({ ...what, hashes }), null, 2)}\n`,
  )
  hashes.set(provenance, await hashOf(join(dist, provenance)))
  const lines = [...hashes].toSorted().map(([name, hash]) => `${hash}  ${name}\n`)
  await Bun.write(join(dist, CHECKSUMS), lines.join(''))
}

/**
 * Installs every package in a clean system.
 *
 * @throws Error with the output of the tests unless all pass.
 */
async function assertInstalls(dist: string): Promise<void> {
  const env = { SVC_DIST: dist, CI: 'true' }
  await run([process.execPath, 'test', 'tests/release'], { cwd: REPOSITORY, env })
}

async function printTable(dist: string): Promise<void> {
  for (const name of (await readdir(dist)).toSorted()) {
    const megabytes = (Bun.file(join(dist, name)).size / 1e6).toFixed(1)
    console.log(`${megabytes.padStart(6)} MB  ${(await hashOf(join(dist, name))).slice(0, 16)}  ${name}`)
  }
}

// What is packed has the modes of files as they are made here, whoever makes them.
process.umask(0o022)
const { values, positionals } = readArguments(USAGE, {
  allowPositionals: true,
  allowNegative: true,
  options: {
    quick: { type: 'boolean', default: false },
    checks: { type: 'boolean' },
    target: { type: 'string', multiple: true, default: [] },
    dist: { type: 'string', default: 'dist' },
    key: { type: 'string' },
  },
})
const [version, ...others] = positionals
if (version === undefined || others.length > 0)
  fail(
    `Give one version, not ${positionals.length === 0 ? 'none' : positionals.join(' and ')}\n\n${USAGE.trimEnd()}`,
  )
const dist = resolve(values.dist)
const { quick: isQuick, checks: isChecked = !isQuick, key } = values
const wanted = { version, dist, isQuick, targets: values.target, isChecked, key }
const targets = await assertReady(wanted).catch((error: Error) => fail(error.message))
// What has not passed has another name, so that nobody publishes it and the next run starts.
const unchecked = `${dist}.unchecked`
const release = { version, dist: unchecked, targets, isQuick: values.quick }
const commit = (await run(['git', 'rev-parse', 'HEAD'], { cwd: REPOSITORY })).trim()
await makeRelease(release)
if (isChecked) {
  await step('second build', () => assertReproducible({ ...release, commit }))
  if (targets.length === TARGETS.length)
    await step('installation in clean systems', () => assertInstalls(unchecked))
}
await rename(unchecked, dist)
await printTable(dist)
if (values.key !== undefined) {
  const comment = ['-t', `svc ${version}`, '-x', join(dist, SIGNATURE)]
  await run(['minisign', '-S', '-s', values.key, ...comment, '-m', join(dist, CHECKSUMS)], {
    isInteractive: true,
  })
  console.log(`${basename(dist)} is signed. Left to do by hand: tag v${version}, push, upload.`)
} else {
  console.log(`${basename(dist)} is not signed: run again with --key, or sign ${CHECKSUMS} with minisign.`)
  process.exitCode = UNSIGNED
}
