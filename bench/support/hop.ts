/** Passes the bytes of each connection to a port of this machine and back, as another machine would do. */
const [port] = process.argv.slice(2).map(Number)
if (!port) throw new Error('usage: hop.ts PORT')

interface Ends {
  to: Bun.Socket<Ends>
}

const server = Bun.listen<Ends>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    async open(socket) {
      socket.pause()
      const other = await Bun.connect<Ends>({
        hostname: '127.0.0.1',
        port,
        data: { to: socket },
        socket: { data: pass, close: end },
      })
      socket.data = { to: other }
      socket.resume()
    },
    data: pass,
    close: end,
  },
})

function pass({ data }: Bun.Socket<Ends>, bytes: Buffer): void {
  data.to.write(bytes)
}

function end({ data }: Bun.Socket<Ends>): void {
  data?.to.end()
}
console.log(server.port)
