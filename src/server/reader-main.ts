/** The reader process when the service runs from source; the executable has the command `svc reader`. */
import { runReader } from '../db/index.ts'

runReader(async () => (await import('./records/read/encode-record.ts')).writeExportPage)
