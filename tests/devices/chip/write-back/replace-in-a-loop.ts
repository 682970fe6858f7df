/** Replaces a file again and again with one of two texts, until it is killed. */
import { stampOf } from '../../../../src/devices/chip/files/watched-file.ts'
import { replaceFile } from '../../../../src/devices/chip/write-back/replace-file.ts'

const [path = '', one = '', other = ''] = process.argv.slice(2)
process.stdout.write('started\n')
for (let turn = 0; ; turn++) replaceFile(path, (turn % 2 === 0 ? one : other).repeat(2_000), stampOf(path))
