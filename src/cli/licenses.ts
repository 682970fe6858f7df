import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../base/index.ts'
import { builtFolder } from './built-folder.ts'
import { defineCommand } from './command-line/command.ts'
import { writeOut } from './command-line/output.ts'

function read(name: string): string {
  const path = join(builtFolder('licenses'), name)
  if (!existsSync(path))
    throw new AppError('unavailable', 'the licenses are not collected; run npm run build')
  return readFileSync(path, 'utf8')
}

export const licensesCommand = defineCommand({
  summary: 'Print the licenses and notices of everything in this program',
  run: () => ({ notices: read('notices.txt') }),
  document: () => JSON.parse(read('components.json')),
  print: ({ notices }) => writeOut(notices),
})
