import { run } from './run.ts'

interface PackOptions {
  /** What of the folder is packed; by default all. */
  entries?: readonly string[]
  /** Number of the user and the group of everything in the archive. */
  owner?: number
}

/**
 * Packs the content of `folder` into a tar archive, compressed with gzip if its name ends with `.gz`. The
 * same content gives the same bytes: names are sorted, times are 0, all belongs to one owner.
 */
export async function packFolder(
  folder: string,
  archive: string,
  { entries = ['.'], owner = 0 }: PackOptions = {},
): Promise<void> {
  const ids = [`--owner=${owner}`, `--group=${owner}`, '--numeric-owner']
  const same = ['--sort=name', '--mtime=@0', ...ids, '--format=ustar']
  const compression = archive.endsWith('.gz') ? ['--use-compress-program=gzip -9n'] : []
  await run(['tar', ...same, ...compression, '-C', folder, '-cf', archive, ...entries])
}
