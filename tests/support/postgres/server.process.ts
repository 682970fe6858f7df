/** Starts a server of PostgreSQL, prints the id of its first process and waits. */
import { startServer } from './server.ts'

const server = await startServer()
console.log(server.pid)
