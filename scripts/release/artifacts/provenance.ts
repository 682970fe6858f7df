import { join } from 'node:path'
import { hashOf } from '../../../src/cli/verify/checksums.ts'
import { run } from '../run.ts'
import { pinnedRuntime, type Target } from '../runtime.ts'

const REPOSITORY = join(import.meta.dir, '../../..')

interface Built {
  /** SHA-256 of each finished file by its name. */
  hashes: ReadonlyMap<string, string>
  targets: readonly Target[]
  version: string
}

/**
 * What a release was made of: an in-toto statement, version 1, with the SLSA provenance, version 1, as its
 * predicate. It is what the builder says; whoever builds the same commit again can compare every file.
 */
export async function describeBuild({ hashes, targets, version }: Built): Promise<object> {
  const commit = (await run(['git', 'rev-parse', 'HEAD'], { cwd: REPOSITORY })).trim()
  const runtimes = await Promise.all(
    targets.map(async (target) => ({
      name: `bun-${target}-${Bun.version}`,
      digest: { sha256: await hashOf(await pinnedRuntime(target)) },
    })),
  )
  const lock = {
    name: 'package-lock.json',
    digest: { sha256: await hashOf(join(REPOSITORY, 'package-lock.json')) },
  }
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...hashes].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://svc.example/release/v1',
        externalParameters: { command: `npm run release -- ${version}`, targets },
        resolvedDependencies: [{ name: 'svc', digest: { gitCommit: commit } }, lock, ...runtimes],
      },
      runDetails: { builder: { id: 'https://svc.example/release/by-hand' } },
    },
  }
}
