import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ARCHITECTURES, GLIBC, type ReleaseRun } from '../release-run.ts'
import { run } from '../run.ts'

const REPOSITORY = join(import.meta.dir, '../../..')
const CLIENT = join(REPOSITORY, 'clients/python')
/** What builds the packages, with its hashes. */
const REQUIREMENTS = join(REPOSITORY, 'packaging/wheel/requirements.txt')

/**
 * Makes the Python packages: wheel and source archive of the client and of the devices, and for each
 * architecture a wheel with the executable.
 */
export async function makePythonPackages(release: ReleaseRun): Promise<void> {
  const hatchling = await installHatchling()
  const { version, dist, work, executables } = release
  for (const project of [CLIENT, join(REPOSITORY, 'drivers/python')])
    await run([hatchling, 'build', '-d', dist], { cwd: project })
  for (const [target, executable] of executables) {
    // In a copy: the build leaves nothing in the repository.
    const project = join(work, target, 'wheel')
    await cp(join(REPOSITORY, 'packaging/wheel'), project, { recursive: true })
    await mkdir(join(project, 'bin'))
    await copyFile(executable, join(project, 'bin/svc'))
    await run([hatchling, 'build', '-t', 'wheel', '-d', dist], {
      cwd: project,
      env: {
        SVC_VERSION: version.python,
        SVC_EXECUTABLE: join(project, 'bin/svc'),
        SVC_PLATFORM: `manylinux_${GLIBC.major}_${GLIBC.minor}_${ARCHITECTURES[target].wheel}`,
      },
    })
  }
}

/** Makes the wheel of the client, the only one in its folder `dist`; returns its path in the repository. */
export async function makeClientWheel(): Promise<string> {
  const hatchling = await installHatchling()
  await rm(join(CLIENT, 'dist'), { recursive: true, force: true })
  await run([hatchling, 'build', '-t', 'wheel', '-d', 'dist'], { cwd: CLIENT })
  const [wheel = ''] = await readdir(join(CLIENT, 'dist'))
  return `clients/python/dist/${wheel}`
}

/** Path of hatchling at the locked version, in an environment of its own, made once per installation. */
async function installHatchling(): Promise<string> {
  const folder = join(REPOSITORY, 'node_modules/.cache/svc/hatchling')
  const program = join(folder, 'bin/hatchling')
  if (existsSync(program)) return program
  await run(['python3', '-m', 'venv', folder])
  await run([join(folder, 'bin/pip'), 'install', '--quiet', '--require-hashes', '-r', REQUIREMENTS])
  return program
}
