/**
 * Folders whose tests call functions and start servers in their own process. Most of what such a file costs
 * is to load the modules of the product, which files of one process load once. The files of other folders
 * start processes, replace what the machine offers, or measure: each has a process of its own.
 */
const SHARING: readonly string[] = [
  'base',
  'db',
  'devices',
  'model',
  'protocol',
  'qasm',
  'server',
  'simulator',
  'ui',
]

/** Files of one process. */
const GROUP_SIZE = 24

/**
 * Groups files that may run in one process: those of one folder below `tests`. Neighbors are of
 * a kind, such as those that compute for long, so that they go to different groups.
 */
export function groupFiles(files: readonly string[]): string[][] {
  const alone = files.filter((file) => !SHARING.includes(areaOf(file)))
  const shared = SHARING.flatMap((area) => {
    const ofArea = files.filter((file) => areaOf(file) === area).sort()
    const groups = Array.from({ length: Math.ceil(ofArea.length / GROUP_SIZE) }, (): string[] => [])
    for (const [index, file] of ofArea.entries()) groups[index % groups.length]?.push(file)
    return groups
  })
  return [...shared, ...alone.map((file) => [file])]
}

const areaOf = (file: string) => file.split('/')[1] ?? ''
