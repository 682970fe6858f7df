import { type Attack, defineAttacks, type Target } from '../attack.ts'
import { openStream } from '../clients/stream-client.ts'

const BELL = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; h q[0];'
const STREAMS = 25
const TOPICS = 1_000
const RESULTS = [200, 201, 204, 400, 403, 404, 429, 503, 'stream refused', 'stream open']

interface StreamAttack {
  name: string
  input: string
  cap: string
  streams: number
  /** Number of addresses that the streams come from; 1 unless given. */
  addresses?: number
  topics: (stream: number) => string[]
  who?: 'guest' | 'user'
  finding?: number
}

const withFilter = (filter: string) =>
  `quantum_jobs/*?options=${encodeURIComponent(JSON.stringify({ query: { filter } }))}`

/** Opens the streams, subscribes each, and then changes a job. */
function streams({
  name,
  input,
  cap,
  streams: count,
  addresses = 1,
  topics,
  who = 'guest',
  finding,
}: StreamAttack): Attack {
  return {
    ...{ name, who, input, cap, expect: RESULTS },
    ...(finding === undefined ? {} : { finding }),
    async prepare(target) {
      const opened = await Promise.all(
        Array.from({ length: count }, async (_, at) => {
          const from = at % addresses
          const token = who === 'user' ? target.seeded.attackers[at % 20]?.token : undefined
          const stream = await openStream(target, from, token)
          target.note(stream ? 'stream open' : 'stream refused')
          return { stream, token, from, topics: topics(at) }
        }),
      )
      const left = [...opened]
      return async () => {
        const next = left.splice(0, STREAMS)
        await Promise.all(
          next.map(
            ({ stream, token, from, topics: subscriptions }) =>
              stream &&
              target.send({
                path: '/api/realtime',
                token,
                from,
                body: JSON.stringify({ clientId: stream.id, subscriptions }),
              }),
          ),
        )
        if (next.length === 0) await submit(target)
      }
    },
  }
}

function submit(target: Target) {
  const body = JSON.stringify({ circuits: [{ circuit: BELL }], shots: 1 })
  return target.send({ path: '/api/jobs', body, token: target.seeded.attackers[0]?.token })
}

/** Event streams and their subscriptions. */
export const eventStreams = defineAttacks([
  streams({
    name: 'streams-own-filters',
    input: '25 guest streams of 1,000 topics, each with its own filter, and a change of a job',
    cap: '50 streams and 100 topics with options per address',
    finding: 3,
    streams: STREAMS,
    topics: (stream) =>
      Array.from({ length: TOPICS }, (_, at) =>
        withFilter(`duration > ${stream * TOPICS + at} && id ~ "x${at}"`),
      ),
  }),
  streams({
    name: 'streams-users',
    input: '25 user streams of 1,000 topics, each with its own filter',
    cap: '5 streams and 100 topics with options per user',
    who: 'user',
    finding: 3,
    streams: STREAMS,
    topics: (stream) =>
      Array.from({ length: TOPICS }, (_, at) => withFilter(`duration > ${stream * TOPICS + at}`)),
  }),
  streams({
    name: 'streams-like',
    input: '5 guest streams of 100 filters of 2,000 characters on results',
    cap: '250 characters, 8 wildcards; results for their owner only',
    finding: 3,
    streams: 5,
    topics: (stream) =>
      Array.from({ length: 100 }, (_, at) => withFilter(`results ~ "${'a'.repeat(1_900)}${stream}_${at}"`)),
  }),
  streams({
    name: 'streams-at-cap',
    input: '10 guest streams from 5 addresses, each with 50 filters of its own and 450 plain topics',
    cap: '50 topics with options per stream, 100 per address, 500 in all',
    streams: 10,
    addresses: 5,
    topics: (stream) => [
      ...Array.from({ length: 50 }, (_, at) =>
        withFilter(`duration > ${stream * 50 + at} && error_code ~ "a%b%c${at}"`),
      ),
      ...Array.from(
        { length: 450 },
        (_, at) => `quantum_jobs/${String(stream * 450 + at).padStart(15, '0')}`,
      ),
    ],
  }),
  streams({
    name: 'streams-same-filter',
    input: '25 guest streams of 1,000 topics with the same filter',
    cap: '50 streams and 100 topics with options per address',
    streams: STREAMS,
    topics: () => Array.from({ length: TOPICS }, (_, at) => `${withFilter('duration > 5')}&n=${at}`),
  }),
  streams({
    name: 'streams-expand',
    input: '25 guest streams of 100 topics with expands',
    cap: '50 streams and 100 topics with options per address',
    streams: STREAMS,
    topics: (stream) =>
      Array.from(
        { length: 100 },
        (_, at) =>
          `quantum_jobs/*?options=${encodeURIComponent(JSON.stringify({ query: { expand: `qpu_target,user_id,n${stream}_${at}` } }))}`,
      ),
  }),
  streams({
    name: 'streams-many',
    input: '300 guest streams from one address',
    cap: '50 streams per address',
    streams: 300,
    topics: () => ['quantum_jobs/*'],
  }),
])
