/** Passes the bytes of each connection to a port of this machine and back, as another machine would do. */
const [port] = process.argv.slice(2).map(Number)
if (!port) throw new Error('usage: hop.ts PORT')

interface Ends {
  to: Bun.Socket<Ends>
  /** What `to` could not take yet; nothing is read meanwhile. */
  rest: Buffer
}

const NOTHING = Buffer.alloc(0)

const server = Bun.listen<Ends>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    async open(socket) {
      socket.pause()
      const other = await Bun.connect<Ends>({
        hostname: '127.0.0.1',
        port,
        data: { to: socket, rest: NOTHING },
        socket: { data: pass, drain: passRest, close: end },
      })
      socket.data = { to: other, rest: NOTHING }
      socket.resume()
    },
    data: pass,
    drain: passRest,
    close: end,
  },
})

function pass(from: Bun.Socket<Ends>, bytes: Buffer): void {
  const taken = from.data.to.write(bytes)
  if (taken === bytes.length) return
  from.data.rest = Buffer.from(bytes.subarray(Math.max(0, taken)))
  from.pause()
}

/** `to` takes bytes again; also called for one that has just connected. */
function passRest(to: Bun.Socket<Ends>): void {
  const from = to.data?.to
  if (!from?.data || from.data.rest.length === 0) return
  from.data.rest = from.data.rest.subarray(Math.max(0, to.write(from.data.rest)))
  if (from.data.rest.length === 0) from.resume()
}

function end({ data }: Bun.Socket<Ends>): void {
  data?.to.end()
}
console.log(server.port)
