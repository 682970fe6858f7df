import { runReader } from '../../db/index.ts'
import { defineCommand } from '../command-line/command.ts'

export const readerCommand = defineCommand({
  summary: 'Read lists for the server',
  isHidden: true,
  run: () => runReader(),
})
