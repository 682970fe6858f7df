/** A reader of selections, for databases that are opened without a command for readers. */
import { runReader } from './run-reader.ts'

runReader(() => Promise.reject(new TypeError('this reader writes no exports')))
