import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Ports that lead to other ones of this machine until they are frozen: then nothing more arrives. */
export async function openCables(targets: readonly number[]) {
  const ends = new Set<Socket>()
  const servers = await Promise.all(
    targets.map(async (port) => {
      const server = createServer((near) => {
        const far = connect(port, '127.0.0.1')
        for (const [from, to] of [
          [near, far],
          [far, near],
        ] as const) {
          ends.add(from)
          from.on('error', () => to.destroy())
          from.pipe(to)
        }
      })
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
      return server
    }),
  )
  return {
    ports: servers.map((server) => (server.address() as AddressInfo).port),
    freeze() {
      for (const end of ends) end.unpipe().pause()
    },
    [Symbol.dispose]() {
      for (const end of ends) end.destroy()
      for (const server of servers) server.close()
    },
  }
}
