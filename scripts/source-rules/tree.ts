/** Entries of the repository that may be tracked. A new one is a decision: add it here in the same commit. */
export const TOP_LEVEL: ReadonlySet<string> = new Set([
  '.ci',
  '.gitattributes',
  '.gitignore',
  '.npmrc',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'biome.json',
  'bunfig.toml',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'bench',
  'docs',
  'examples',
  'scripts',
  'src',
  'tests',
  'ui',
  'clients',
  'drivers',
  'packaging',
])

/** Source files that a folder holds at most, not counting those of its subfolders. */
export const MAX_FILES_PER_FOLDER = 15
