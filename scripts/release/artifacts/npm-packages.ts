import { chmod, copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { NAMES } from '../names.ts'
import { ARCHITECTURES, type ReleaseRun } from '../release-run.ts'
import { run } from '../run.ts'

const REPOSITORY = join(import.meta.dir, '../../..')

/**
 * Starts the program of the platform, and passes signals and exit status on. Without install script and
 * without download: npm chooses the package of the platform by `os`, `cpu` and `libc`.
 */
const WRAPPER = `#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'

const name = '${NAMES.npm}-' + process.platform + '-' + process.arch
let program
try {
  program = createRequire(import.meta.url).resolve(name + '/svc')
} catch {
  console.error('svc: the package ' + name + ' is not installed; there is one for Linux on x64 and on arm64, with glibc')
  process.exit(1)
}
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
child.on('exit', (status, signal) => {
  if (signal) {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  } else process.exitCode = status
})
`

/** Makes the npm packages: the client, the program for each architecture, and the one that chooses. */
export async function makeNpmPackages(release: ReleaseRun): Promise<void> {
  const { version, dist, work, executables } = release
  const manifest = {
    version: version.semver,
    license: 'MIT',
    description: 'svc, the quantum job control service',
  }
  const optionalDependencies: Record<string, string> = {}
  for (const [target, executable] of executables) {
    const name = `${NAMES.npm}-${target}`
    optionalDependencies[name] = version.semver
    const folder = await stage(join(work, target, 'npm'), {
      ...manifest,
      name,
      os: ['linux'],
      cpu: [ARCHITECTURES[target].npm],
      libc: ['glibc'],
      preferUnplugged: true,
      files: ['svc'],
    })
    await copyFile(executable, join(folder, 'svc'))
    await pack(folder, dist)
  }
  const folder = await stage(join(work, 'npm'), {
    ...manifest,
    name: NAMES.npm,
    type: 'module',
    bin: { svc: 'svc.js' },
    engines: { node: '>=20' },
    files: ['svc.js'],
    optionalDependencies,
  })
  await Bun.write(join(folder, 'svc.js'), WRAPPER)
  await chmod(join(folder, 'svc.js'), 0o755)
  await pack(folder, dist)
  await pack(join(REPOSITORY, 'clients/js'), dist)
}

async function stage(folder: string, manifest: object): Promise<string> {
  await mkdir(folder, { recursive: true })
  await Bun.write(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return folder
}

/** npm gives the same bytes for the same files. */
async function pack(folder: string, dist: string): Promise<void> {
  await run(['npm', 'pack', folder, '--silent', '--pack-destination', dist])
}
