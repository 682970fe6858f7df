import { connect, type Socket } from 'node:net'
import { type Attack, defineAttacks, type Shot, type Target } from '../attack.ts'

const RESULTS = [0, 200, 204, 400, 401, 403, 404, 405, 413, 414, 429, 431, 503, 'open', 'closed']
const KIB = 1024
const MIB = 1024 * KIB

/** Opens a connection, writes `text`, and reports whether it stays open. Ends with the process. */
function open(
  target: Target,
  text: string,
  onOpen: (socket: Socket) => void = () => undefined,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect({
    ...{ host: '127.0.0.1', port: target.port, localAddress: target.addressOf(0) },
  })
  socket.on('connect', () => {
    socket.write(text)
    onOpen(socket)
    target.note('open')
    resolve()
  })
  socket.on('error', () => resolve())
  socket.on('close', () => {
    target.note('closed')
    resolve()
  })
  return promise
}

interface RawAttack {
  name: string
  input: string
  cap: string
  who?: 'guest' | 'user'
  width?: number
  shots?: number
  /** Responses to requests that prepare the attack. */
  expect?: readonly number[]
  prepare: (target: Target) => Shot
}

const raw = ({ who = 'guest', expect = [], ...attack }: RawAttack): Attack => ({
  ...attack,
  who,
  expect: [...RESULTS, ...expect],
})

const request = (path: string, headers: string[], method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nhost: attack\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`

/** Connections, heads of requests, and clients that do not read. */
export const connections = defineAttacks([
  raw({
    name: 'slow-heads',
    input: '500 connections that send one byte of a head after the other',
    cap: '30 s of an idle connection',
    shots: 1,
    prepare: (target) => async () => {
      const sockets: Socket[] = []
      await Promise.all(
        Array.from({ length: 500 }, () => open(target, 'GET / HT', (socket) => sockets.push(socket))),
      )
      for (let byte = 0; byte < 10; byte += 1) {
        for (const socket of sockets) if (!socket.destroyed) socket.write('T')
        await Bun.sleep(100)
      }
    },
  }),
  raw({
    name: 'slow-bodies',
    input: '300 bodies that never end',
    cap: '256 KiB for guests',
    shots: 1,
    prepare: (target) => async () => {
      const head = request(
        '/api/collections/users/records',
        ['content-type: application/json', 'content-length: 1000000'],
        'POST',
      )
      await Promise.all(Array.from({ length: 300 }, () => open(target, `${head}{"a":"`)))
      await Bun.sleep(1_000)
    },
  }),
  raw({
    name: 'slow-bodies-user',
    input: '60 users’ bodies of 9 MB that never end',
    cap: '20 MiB of bodies at once',
    who: 'user',
    shots: 1,
    prepare: (target) => async () => {
      const { attackers } = target.seeded
      await Promise.all(
        Array.from({ length: 60 }, (_, at) => {
          const token = attackers[at % attackers.length]?.token
          const head = request(
            '/api/jobs',
            [`authorization: ${token}`, 'content-type: application/json', 'content-length: 9000000'],
            'POST',
          )
          return open(target, `${head}{"circuit":"`)
        }),
      )
      await Bun.sleep(1_000)
    },
  }),
  raw({
    name: 'waiting-requests',
    input: '300 requests of one user that wait 60 s for a job',
    cap: '250 waiting requests of an account, 60 s',
    who: 'user',
    expect: [201],
    shots: 1,
    prepare: (target) => async () => {
      const token = target.seeded.attackers[0]?.token
      const body = JSON.stringify({ circuit: 'OPENQASM 3.0; qubit q;', shots: 1 })
      const { text } = await target.send({ method: 'POST', path: '/api/jobs', token, body })
      const path = `/api/jobs/${/"id":"(\w+)"/.exec(text)?.[1]}?wait=60`
      const waiting = request(path, [`authorization: ${token}`])
      await Promise.all(Array.from({ length: 300 }, () => open(target, waiting)))
      await Bun.sleep(1_000)
    },
  }),
  raw({
    name: 'job-changes-at-cap',
    input: '20 requests of one user for the changes of 500 jobs, none of which is known',
    cap: '500 jobs of a request, 50 jobs and 1 MiB of a response',
    who: 'user',
    shots: 1,
    prepare: (target) => async () => {
      const token = target.seeded.attackers[0]?.token
      const listed = await target.send({ method: 'GET', path: '/api/jobs?limit=500&fields=id', token })
      const known = JSON.parse(listed.text)
      const body = JSON.stringify({ known })
      await Promise.all(
        Array.from({ length: 20 }, () =>
          target.send({ method: 'POST', path: '/api/jobs/changes', token, body }),
        ),
      )
    },
  }),
  raw({
    name: 'waiting-for-jobs',
    input: '20 requests of one user that wait 60 s for 500 jobs each',
    cap: '5,000 jobs that the requests of an account wait for',
    who: 'user',
    shots: 1,
    prepare: (target) => async () => {
      const token = target.seeded.attackers[0]?.token
      const listed = await target.send({ method: 'GET', path: '/api/jobs?limit=500&fields=id,status', token })
      const body = JSON.stringify({ known: JSON.parse(listed.text), wait: 60 })
      const head = [
        `authorization: ${token}`,
        'content-type: application/json',
        `content-length: ${body.length}`,
      ]
      const waiting = `${request('/api/jobs/changes', head, 'POST')}${body}`
      await Promise.all(Array.from({ length: 20 }, () => open(target, waiting)))
      await Bun.sleep(1_000)
    },
  }),
  raw({
    name: 'unread-responses',
    input: '20 pages of 8 MB that are not read',
    cap: '8 MiB of a page',
    who: 'user',
    shots: 1,
    prepare: (target) => async () => {
      const { attackers, largeResults } = target.seeded
      const head = request(`/api/jobs/${largeResults[0]}`, [`authorization: ${attackers[0]?.token}`])
      await Promise.all(Array.from({ length: 20 }, () => open(target, head, (socket) => void socket.pause())))
      await Bun.sleep(1_000)
    },
  }),
  raw({
    name: 'pipelined',
    input: '20,000 requests in one packet',
    cap: '32 requests of a connection at once',
    shots: 3,
    prepare: (target) => {
      const text = request('/api/qpus', []).repeat(20_000)
      return async () => {
        await open(target, text)
        await Bun.sleep(300)
      }
    },
  }),
  raw({
    name: 'header-large',
    input: 'a header of 1 MB',
    cap: '16 KiB of a head',
    prepare: (target) => {
      const text = request('/api/health', [`x-attack: ${'a'.repeat(MIB)}`])
      return () => open(target, text)
    },
  }),
  raw({
    name: 'headers-many',
    input: '2,000 headers',
    cap: '16 KiB of a head',
    prepare: (target) => {
      const text = request(
        '/api/health',
        Array.from({ length: 2_000 }, (_, at) => `x-${at}: a`),
      )
      return () => open(target, text)
    },
  }),
  raw({
    name: 'cookie-large',
    input: 'a cookie of 15 KB of pairs',
    cap: '16 KiB of a head',
    prepare: (target) => {
      const headers = { cookie: 'a=b; '.repeat(3_000) }
      return () => target.send({ path: '/api/health', headers })
    },
  }),
  raw({
    name: 'url-long',
    input: 'a URL of 15 KB of parameters',
    cap: '16 KiB of a head',
    prepare: (target) => {
      const path = `/api/collections/quantum_jobs/records?${Array.from({ length: 1_800 }, (_, at) => `p${at}=1`).join('&')}`
      return () => target.send({ path })
    },
  }),
  raw({
    name: 'url-parameters-at-cap',
    input: 'a URL with 1,000 parameters',
    cap: '1,000 parameters of a query',
    prepare: (target) => {
      const parameters = Array.from({ length: 999 }, (_, at) => `p${at}=1`).join('&')
      return () => target.send({ path: `/api/collections/quantum_jobs/records?perPage=1&${parameters}` })
    },
  }),
  raw({
    name: 'url-encoded-path',
    input: 'a path of 12 KB of escapes',
    cap: '16 KiB of a head',
    prepare: (target) => () => target.send({ path: `/api/qpus/${'%41'.repeat(4_000)}` }),
  }),
  raw({
    name: 'authorization-long',
    input: 'a token of 12 KB with dots',
    cap: '16 KiB of a head',
    prepare: (target) => () => target.send({ path: '/api/qpus', token: `${'eyJh.'.repeat(2_400)}` }),
  }),
  raw({
    name: 'batch',
    input: 'a batch of 10,000 requests',
    cap: 'batches are refused',
    prepare: (target) => {
      const requests = Array.from({ length: 10_000 }, () => ({
        method: 'GET',
        url: '/api/collections/qpus/records',
      }))
      const body = JSON.stringify({ requests })
      return () => target.send({ path: '/api/batch', body })
    },
  }),
  raw({
    name: 'joined-reads',
    input: '32 filters without an index in one request, 20 of them at once',
    cap: '32 reads, each counted as a request, 4 at once',
    width: 20,
    prepare: (target) => {
      const search = new URLSearchParams({ filter: 'error_code ~ "nowhere"', perPage: '1' })
      const paths = Array.from({ length: 32 }, () => `/api/collections/quantum_jobs/records?${search}`)
      return () => target.send({ path: '/api/reads', body: JSON.stringify({ paths }) })
    },
  }),
  raw({
    name: 'joined-reads-lists',
    input: '32 lists of 100 own jobs in one request, 24 of them at once',
    cap: '32 reads, each counted as a request; callers take turns',
    who: 'user',
    width: 24,
    prepare: (target) => {
      const token = target.seeded.attackers[0]?.token
      const body = JSON.stringify({
        paths: Array.from({ length: 32 }, () => '/api/jobs?limit=100&omit=payload,results,error'),
      })
      return () => target.send({ path: '/api/reads', body, token })
    },
  }),
  raw({
    name: 'joined-reads-large',
    input: '32 jobs with programs of 9 MB in one request, 20 of them at once',
    cap: '512 KiB of a line',
    who: 'user',
    width: 20,
    prepare: (target) => {
      const token = target.seeded.attackers[0]?.token
      const paths = Array.from({ length: 32 }, (_, at) => `/api/jobs/${target.seeded.largePrograms[at % 5]}`)
      return () => target.send({ path: '/api/reads', body: JSON.stringify({ paths }), token })
    },
  }),
  raw({
    name: 'chunked-body',
    input: 'a body of 900,000 chunks of one byte',
    cap: '256 KiB for guests',
    shots: 2,
    prepare: (target) => {
      const head = request(
        '/api/collections/users/records',
        ['content-type: application/json', 'transfer-encoding: chunked'],
        'POST',
      )
      const body = '1\r\na\r\n'.repeat(900_000)
      return async () => {
        await open(target, `${head}${body}0\r\n\r\n`)
        await Bun.sleep(500)
      }
    },
  }),
])
