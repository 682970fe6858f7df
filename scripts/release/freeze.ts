/**
 * Freezes a release for the test of interoperability: `npx bun run scripts/release/freeze.ts [--source DIR]`
 * writes the program of that checkout as `tests/interop/releases/<version>.tar.gz`, to be run by Bun without
 * packages or network. Run it at each release and remove the archive of the release before.
 */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findWorkerEntries } from '../worker-entries.ts'

const REPOSITORY = join(import.meta.dir, '../..')

const { values } = parseArgs({ options: { source: { type: 'string', default: REPOSITORY } } })
const source = resolve(values.source)
const { version } = await Bun.file(join(source, 'package.json')).json()
const folder = await mkdtemp(join(tmpdir(), 'svc-release-'))
try {
  await bundle(folder)
  const archive = join(REPOSITORY, 'tests/interop/releases', `${version}.tar.gz`)
  await mkdir(dirname(archive), { recursive: true })
  await pack(folder, archive)
  console.log(`${archive}: ${Math.round(Bun.file(archive).size / 1024)} KiB`)
} finally {
  await rm(folder, { recursive: true })
}

/** Bundles the program and its threads into the folders in which the program looks for them. */
async function bundle(target: string): Promise<void> {
  const { declared } = await findWorkerEntries(source)
  const { success, logs } = await Bun.build({
    entrypoints: ['src/cli/main.ts', ...declared].map((file) => join(source, file)),
    root: join(source, 'src'),
    outdir: join(target, 'bundle'),
    target: 'bun',
    minify: true,
    // Paths of assets would be relative to the working directory; the test replaces this by a folder.
    publicPath: 'RELEASE_FOLDER/bundle/',
  })
  if (!success) throw new AggregateError(logs, 'the bundle failed')
  for (const file of declared) {
    await mkdir(dirname(join(target, file)), { recursive: true })
    await rename(join(target, file.replace(/^src\/(.*)\.ts$/, 'bundle/$1.js')), join(target, file))
  }
}

/** Packs the folder; the same content makes the same archive. */
async function pack(content: string, archive: string): Promise<void> {
  const owner = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0']
  const tar = Bun.spawn(['tar', ...owner, '-C', content, '-cf', '-', '.'], { stdout: 'pipe' })
  const bytes = new Uint8Array(await new Response(tar.stdout).arrayBuffer())
  if ((await tar.exited) !== 0) throw new Error('tar failed')
  await Bun.write(archive, Bun.gzipSync(bytes, { level: 9 }))
}
