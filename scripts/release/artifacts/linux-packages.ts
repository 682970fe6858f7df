import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packFolder } from '../archive.ts'
import { ARCHITECTURES, GLIBC, type ReleaseRun } from '../release-run.ts'
import { run } from '../run.ts'
import type { Target } from '../runtime.ts'

const REPOSITORY = join(import.meta.dir, '../../..')
const PACKAGING = join(REPOSITORY, 'packaging/nfpm')
const MAINTAINER = 'svc maintainers <maintainers@svc.example>'
const SHELLS = { bash: 'svc.bash', zsh: '_svc', fish: 'svc.fish' } as const

/**
 * Makes for each architecture an archive, a deb and an rpm with the executable, the units, completions and
 * the notices of everything in it.
 */
export async function makeLinuxPackages(release: ReleaseRun): Promise<void> {
  const nfpm = await buildNfpm()
  const completions = await Promise.all(
    Object.entries(SHELLS).map(async ([shell, name]) => ({
      name,
      text: await ownOutput('completion', shell),
    })),
  )
  for (const [target, executable] of release.executables) {
    const stage = join(release.work, target, 'package')
    await mkdir(stage, { recursive: true })
    await copyFile(executable, join(stage, 'svc'))
    for (const { name, text } of completions) await write(join(stage, name), text)
    await stageTexts(stage, release)
    await makeArchive(release, target, stage)
    for (const packager of ['deb', 'rpm'] as const) await pack(nfpm, { release, target, stage, packager })
  }
}

/** nfpm at the version that go.mod names, built once per installation. */
async function buildNfpm(): Promise<string> {
  const path = join(REPOSITORY, 'node_modules/.cache/svc/nfpm')
  if (!existsSync(path))
    await run(['go', 'build', '-o', path, 'github.com/goreleaser/nfpm/v2/cmd/nfpm'], { cwd: PACKAGING })
  return path
}

/** What the program of this machine prints: the commands are the same for every architecture. */
function ownOutput(...args: string[]): Promise<string> {
  return run([process.execPath, 'src/cli/main.ts', ...args], { cwd: REPOSITORY })
}

async function stageTexts(stage: string, { version, time }: ReleaseRun): Promise<void> {
  for (const unit of ['svc.service', 'svc-backup.service']) {
    const text = await readFile(join(REPOSITORY, 'examples/systemd', unit), 'utf8')
    await write(join(stage, unit), text.replaceAll('/usr/local/bin/svc', '/usr/bin/svc'))
  }
  for (const name of ['sysusers.conf', 'svc.config.yml', 'lintian'])
    await write(join(stage, name), await readFile(join(PACKAGING, name), 'utf8'))
  await write(join(stage, 'copyright'), await readFile(join(REPOSITORY, 'licenses/notices.txt'), 'utf8'))
  const changelog = await readFile(join(REPOSITORY, 'CHANGELOG.md'))
  await write(join(stage, 'changelog.gz'), Bun.gzipSync(changelog, { level: 9 }))
  // Debian wants an entry in its own form for each version of the package.
  const date = time.toUTCString().replace('GMT', '+0000')
  const entry = `svc (${version.linux}-1) unstable; urgency=medium\n\n  * changelog.gz lists the changes.\n\n -- ${MAINTAINER}  ${date}\n`
  await write(join(stage, 'changelog.Debian.gz'), Bun.gzipSync(entry, { level: 9 }))
}

/** Modes of files do not depend on the umask. */
async function write(path: string, content: string | Uint8Array): Promise<void> {
  await Bun.write(path, content)
  await chmod(path, 0o644)
}

async function makeArchive(
  { version, dist, work }: ReleaseRun,
  target: Target,
  stage: string,
): Promise<void> {
  const name = `svc-${version.semver}-${target}`
  const folder = join(work, target, name)
  await mkdir(folder, { recursive: true })
  for (const file of ['svc', 'svc.service', 'svc-backup.service', ...Object.values(SHELLS)])
    await copyFile(join(stage, file), join(folder, file))
  await copyFile(join(stage, 'copyright'), join(folder, 'LICENSES'))
  await copyFile(join(REPOSITORY, 'scripts/install-driver.sh'), join(folder, 'install-driver.sh'))
  for (const unit of ['svc.service', 'svc-backup.service'])
    await write(join(folder, unit), await readFile(join(REPOSITORY, 'examples/systemd', unit)))
  await run(['ln', '-s', 'svc', join(folder, 'svc-driver')])
  await packFolder(join(work, target), join(dist, `${name}.tar.gz`), { entries: [name] })
}

interface PackageCall {
  release: ReleaseRun
  target: Target
  stage: string
  packager: 'deb' | 'rpm'
}

async function pack(nfpm: string, { release, target, stage, packager }: PackageCall): Promise<void> {
  const { version, time, dist, isQuick } = release
  const arch = ARCHITECTURES[target]
  const values: Record<string, string> = {
    // nfpm translates the Go name of the architecture itself.
    ARCH: arch.deb,
    VERSION: version.linux,
    TIME: time.toISOString(),
    MAINTAINER,
    STAGE: stage,
    SCRIPTS: PACKAGING,
    COMPRESSION: isQuick ? 'gzip' : 'xz',
    LIBC:
      packager === 'deb'
        ? `libc6 (>= ${GLIBC.major}.${GLIBC.minor})`
        : `glibc >= ${GLIBC.major}.${GLIBC.minor}`,
  }
  const name = {
    deb: `svc_${version.linux}-1_${arch.deb}.deb`,
    rpm: `svc-${version.linux}-1.${arch.rpm}.rpm`,
  }[packager]
  const config = join(stage, `${packager}.yaml`)
  const template = await readFile(join(PACKAGING, 'nfpm.yaml'), 'utf8')
  await write(
    config,
    template.replace(/\$\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole),
  )
  // The time of the build is in the package otherwise.
  const env = { SOURCE_DATE_EPOCH: String(time.getTime() / 1_000) }
  await run([nfpm, 'package', '-f', config, '-p', packager, '-t', join(dist, name)], { env })
}
