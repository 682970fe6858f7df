import { runReader } from '../../db/index.ts'
import { defineCommand } from '../command-line/command.ts'

export const readerCommand = defineCommand({
  summary: 'Read lists for the server',
  isHidden: true,
  // Only exports need the code of the server, which takes longer to load than most lists to read.
  run: () => runReader(async () => (await import('../../server/index.ts')).writeExportPage),
})
