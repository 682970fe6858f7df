import { once } from 'node:events'
import { connect as connectTcp, createServer as createTcpServer } from 'node:net'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'

/** Joins two sockets; when one ends or fails, so does the other. */
function join(left, right) {
  for (const [from, to] of [
    [left, right],
    [right, left],
  ]) {
    from.setNoDelay(true)
    from.pipe(to)
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
  }
}

async function listening(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}

/** Accepts plain TCP and forwards it to a TLS port. Returns its own port. */
export function tunnelToTls(port, ca) {
  return listening(
    createTcpServer((socket) => {
      join(socket, connectTls({ host: '127.0.0.1', port, ca: [ca], servername: '', minVersion: 'TLSv1.3' }))
    }),
  )
}

/** Accepts TLS and forwards it to a plain TCP port. Returns its own port. */
export function tunnelFromTls(port, key, cert) {
  return listening(
    createTlsServer({ key, cert, minVersion: 'TLSv1.3' }, (socket) => {
      join(socket, connectTcp(port, '127.0.0.1'))
    }),
  )
}
