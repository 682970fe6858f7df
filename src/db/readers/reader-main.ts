/** The reader process when the service runs from source; the executable has the command `svc reader`. */
import { runReader } from './reader-host.ts'

runReader()
