import type { Target } from './runtime.ts'
import type { VersionForms } from './version.ts'

/** What the makers of artifacts share. */
export interface ReleaseRun {
  version: VersionForms
  /** When the commit was made: the time of files in packages, the same for everybody who builds it. */
  time: Date
  /** Folder of the finished files. */
  dist: string
  /** Folder for what they are made of, removed at the end. */
  work: string
  /** Fast compression instead of small files, for tests. */
  isQuick: boolean
  /** The executable for each target, with its bill of materials beside it. */
  executables: ReadonlyMap<Target, string>
}

/** Exit status of a release that nobody has signed. */
export const UNSIGNED = 4

/** Names of the two architectures in each package system. */
export const ARCHITECTURES = {
  'linux-x64': { deb: 'amd64', rpm: 'x86_64', wheel: 'x86_64', npm: 'x64', image: 'amd64' },
  'linux-arm64': { deb: 'arm64', rpm: 'aarch64', wheel: 'aarch64', npm: 'arm64', image: 'arm64' },
} as const satisfies Record<Target, Record<string, string>>

/** The newest symbols of the C library that the runtime needs are of this version. */
export const GLIBC = { major: 2, minor: 17 }
