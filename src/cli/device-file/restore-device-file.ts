import { basename } from 'node:path'
import { kinds, switchFlag, systemClock, toTimestamp } from '../../base/index.ts'
import { type RestoredDeviceFile, type RestoredValue, restoreDeviceFile } from '../../devices/index.ts'
import { defineCommand } from '../command-line/command.ts'

const MAX_PRINTED = 20

export const restoreDeviceFileCommand = defineCommand({
  summary: 'Put back the device file that the last calibration replaced',
  positionals: [
    { name: 'FILE', help: 'The device file, such as scheduler.device.yml; FILE.prev is restored' },
  ],
  flags: { dryRun: switchFlag(kinds.bool(), 'Show what would change, and change nothing') },
  run({ flags: { dryRun }, positionals: [file = ''] }) {
    const at = toTimestamp(systemClock.now())
    return { ...restoreDeviceFile(file, { at, dryRun: dryRun === true }), dryRun: dryRun === true }
  },
  document: ({ isSame, dryRun, changes, ...rest }) => ({
    ...rest,
    restored: !(isSame || dryRun),
    changes:
      changes?.map(({ element, path, from, to }) => ({
        element,
        path,
        from: from ?? null,
        to: to ?? null,
      })) ?? null,
  }),
  print: printRestore,
})

function printRestore({
  file,
  previous,
  changes,
  isSame,
  dryRun,
}: RestoredDeviceFile & { dryRun: boolean }): void {
  const name = basename(previous)
  if (isSame) {
    console.log(`${file} and ${name} are the same; nothing to restore`)
    return
  }
  console.log(dryRun ? `${file} would be restored from ${name}` : `Restored ${file} from ${name}`)
  if (!changes)
    console.log('  the replaced file is not a valid device file, so that its values are not compared')
  else printChanges(changes)
  if (dryRun) return
  console.log(`The replaced file is now ${name}; the same command brings it back`)
  console.log('Process drivers read the file before their next job, tuners before their next calibration')
}

function printChanges(changes: readonly RestoredValue[]): void {
  if (changes.length === 0) console.log('  no value differs')
  for (const { element, path, from, to } of changes.slice(0, MAX_PRINTED)) {
    console.log(`  ${element} ${path}: ${shown(from)} → ${shown(to)}`)
  }
  const rest = changes.length - MAX_PRINTED
  if (rest > 0) console.log(`  …and ${rest} more; --json prints all`)
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
