import { appendFile, chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hashOf } from '../../../src/cli/verify/checksums.ts'
import { packFolder } from '../archive.ts'
import { ARCHITECTURES, type ReleaseRun } from '../release-run.ts'
import { run } from '../run.ts'
import type { Target } from '../runtime.ts'

/** Debian release of the base, and the packages that the program needs from it. */
const SUITE = 'bookworm'
const PACKAGES = ['libc6', 'libgcc-s1', 'tzdata', 'ca-certificates', 'base-files', 'netbase']
/** The account of the process; nobody else has this number. */
const USER = 65_532
const DATA = '/var/lib/svc'
/** The time of every file and of the image: an image of the same files is the same image. */
const EPOCH = '1970-01-01T00:00:00Z'

/** Content of the image layout by its digest. */
interface Descriptor {
  mediaType: string
  digest: string
  size: number
}

/**
 * Writes a container image for all architectures as an OCI layout, without a daemon: the base, the
 * executable, and the folder of the data, which belongs to the account of the process. Layout, manifest and
 * configuration follow the OCI image specification 1.1.
 */
export async function makeImage(release: ReleaseRun): Promise<void> {
  const { version, dist, work, executables } = release
  const layout = join(work, 'image')
  await mkdir(join(layout, 'blobs/sha256'), { recursive: true })
  const manifests: object[] = []
  for (const [target, executable] of executables) {
    const base = await makeBase(join(work, target, 'base'), target)
    const program = join(work, target, 'program')
    await mkdir(join(program, 'usr/bin'), { recursive: true })
    await copyFile(executable, join(program, 'usr/bin/svc'))
    await run(['ln', '-s', 'svc', join(program, 'usr/bin/svc-driver')])
    const data = join(work, target, 'data')
    await mkdir(join(data, DATA), { recursive: true, mode: 0o700 })
    const layers = [
      await addLayer(layout, base, join(work, target, 'base.tar')),
      await addLayer(layout, program, join(work, target, 'program.tar')),
      await addLayer(layout, data, join(work, target, 'data.tar'), { entries: [DATA.slice(1)], owner: USER }),
    ]
    const architecture = ARCHITECTURES[target].image
    const config = await addBlob(layout, configOf(architecture, version.semver, layers), CONFIG_TYPE)
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config,
      layers: layers.map(({ blob }) => blob),
    }
    const described = await addBlob(layout, manifest, MANIFEST_TYPE)
    manifests.push({ ...described, platform: { architecture, os: 'linux' } })
  }
  const index = await addBlob(layout, { schemaVersion: 2, mediaType: INDEX_TYPE, manifests }, INDEX_TYPE)
  await Bun.write(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  const named = { ...index, annotations: { 'org.opencontainers.image.ref.name': version.semver } }
  await Bun.write(
    join(layout, 'index.json'),
    JSON.stringify({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [named] }),
  )
  await packFolder(layout, join(dist, `svc-${version.semver}-image.oci.tar`))
}

const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json'
const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json'
const LAYER_TYPE = 'application/vnd.oci.image.layer.v1.tar+gzip'

/** The C library, time zones and certificates of Debian, without manuals; copyright files stay. */
async function makeBase(folder: string, target: Target): Promise<string> {
  const arch = ARCHITECTURES[target].deb
  await mkdir(folder, { recursive: true })
  await run([
    'mmdebstrap',
    '--quiet',
    '--variant=extract',
    `--arch=${arch}`,
    `--include=${PACKAGES.join(',')}`,
    '--dpkgopt=path-exclude=/usr/share/man/*',
    SUITE,
    folder,
  ])
  // What mmdebstrap and dpkg note of their run differs each time.
  for (const name of [
    'var',
    'dev',
    'proc',
    'sys',
    'run',
    'boot',
    'home',
    'usr/share/man',
    'usr/share/locale',
  ])
    await rm(join(folder, name), { recursive: true, force: true })
  const mozilla = join(folder, 'usr/share/ca-certificates/mozilla')
  await mkdir(join(folder, 'etc/ssl/certs'), { recursive: true })
  const bundle = join(folder, 'etc/ssl/certs/ca-certificates.crt')
  for (const name of (await readdir(mozilla)).toSorted())
    await appendFile(bundle, await readFile(join(mozilla, name)))
  await Bun.write(
    join(folder, 'etc/passwd'),
    `root:x:0:0::/:/sbin/nologin\nsvc:x:${USER}:${USER}::${DATA}:/sbin/nologin\n`,
  )
  await Bun.write(join(folder, 'etc/group'), `root:x:0:\nsvc:x:${USER}:\n`)
  await mkdir(join(folder, 'var/lib'), { recursive: true })
  await mkdir(join(folder, 'tmp'), { recursive: true })
  await chmod(join(folder, 'tmp'), 0o1777)
  return folder
}

interface Layer {
  blob: Descriptor
  /** Digest of the archive before its compression. */
  diff: string
}

async function addLayer(layout: string, folder: string, archive: string, options = {}): Promise<Layer> {
  await packFolder(folder, archive, options)
  const diff = `sha256:${await hashOf(archive)}`
  await run(['gzip', '-6n', archive])
  return { blob: await addFile(layout, `${archive}.gz`, LAYER_TYPE), diff }
}

function configOf(architecture: string, version: string, layers: readonly Layer[]): object {
  return {
    created: EPOCH,
    architecture,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      Entrypoint: ['/usr/bin/svc'],
      Cmd: ['serve', '--listen-addr', '0.0.0.0'],
      Env: ['PATH=/usr/bin', `HOME=${DATA}`],
      WorkingDir: DATA,
      Volumes: { [DATA]: {} },
      ExposedPorts: { '8090/tcp': {}, '8443/tcp': {} },
      Labels: { 'org.opencontainers.image.version': version, 'org.opencontainers.image.licenses': 'MIT' },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diff }) => diff) },
    history: layers.map(({ diff }) => ({ created: EPOCH, created_by: `svc release ${diff.slice(7, 19)}` })),
  }
}

async function addBlob(layout: string, content: object, mediaType: string): Promise<Descriptor> {
  const path = join(layout, 'blob.json')
  await Bun.write(path, JSON.stringify(content))
  return addFile(layout, path, mediaType)
}

async function addFile(layout: string, path: string, mediaType: string): Promise<Descriptor> {
  const hash = await hashOf(path)
  const { size } = await stat(path)
  await rename(path, join(layout, 'blobs/sha256', hash))
  return { mediaType, digest: `sha256:${hash}`, size }
}
