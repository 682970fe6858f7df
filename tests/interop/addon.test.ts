import { expect, test } from 'bun:test'

/**
 * The reason for our own message sockets: when this fails after an upgrade, the decision can be reconsidered.
 */
test('the libzmq addon still aborts Bun when a socket is opened', async () => {
  const child = Bun.spawn([process.execPath, '-e', "new (require('zeromq').Push)()"], {
    cwd: import.meta.dir,
    stdout: 'ignore',
    stderr: 'pipe',
  })
  expect(await Bun.readableStreamToText(child.stderr)).toContain('uv_poll_init_socket')
  expect(await child.exited).toBe(134)
})
