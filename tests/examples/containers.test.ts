import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { parseAllDocuments } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { parseFlags } from '../../src/cli/command-line/parse-flags.ts'
import { serveCommand } from '../../src/cli/serve/serve.ts'

const read = (name: string) =>
  parseAllDocuments(readFileSync(join(import.meta.dir, '../../examples/containers', name), 'utf8')).map(
    (document) => {
      expect(document.errors).toEqual([])
      return document.toJS()
    },
  )

/** The settings of a command line, which the program must accept. */
function settingsOf([word, ...flags]: readonly string[]) {
  expect(word).toBe('serve')
  return parseFlags(flags, serveCommand).given
}

const compose = v.object({
  services: v.object({
    svc: v.object({
      image: v.string(),
      command: v.array(v.string()),
      ports: v.array(v.string()),
      read_only: v.literal(true),
      healthcheck: v.object({ test: v.tuple([v.literal('CMD'), v.literal('/usr/bin/svc'), v.string()]) }),
    }),
  }),
})

test('compose.yml runs this version with flags that exist, and publishes the ports of the drivers', () => {
  const { svc } = v.parse(compose, read('compose.yml')[0]).services
  const { portRangeStart, portRangeEnd } = settingsOf(svc.command)
  expect(svc.image).toBe(`svc:${manifest.version}`)
  expect(svc.ports).toEqual([
    '8090:8090',
    '8443:8443',
    `${portRangeStart}-${portRangeEnd}:${portRangeStart}-${portRangeEnd}`,
  ])
})

const template = v.object({
  spec: v.object({
    securityContext: v.object({ runAsUser: v.literal(65_532) }),
    containers: v.tuple([
      v.object({
        image: v.string(),
        args: v.array(v.string()),
        securityContext: v.object({ readOnlyRootFilesystem: v.literal(true) }),
      }),
    ]),
  }),
})
const statefulSet = v.object({
  kind: v.literal('StatefulSet'),
  spec: v.object({ replicas: v.literal(1), template }),
})
const deployment = v.object({
  kind: v.literal('Deployment'),
  spec: v.object({ replicas: v.literal(2), strategy: v.object({ type: v.literal('Recreate') }), template }),
})

const service = v.object({
  kind: v.literal('Service'),
  spec: v.object({ ports: v.array(v.object({ name: v.string(), port: v.number() })) }),
})

test.each([
  ['kubernetes.yml', 'one replica', statefulSet],
  ['kubernetes-postgresql.yml', 'two replicas', deployment],
])('%s runs %s of this version, and passes on the ports of the drivers', (name, _, schema) => {
  const [set, , drivers] = read(name)
  const [container] = v.parse(schema, set).spec.template.spec.containers
  const { portRangeStart, portRangeEnd } = settingsOf(container.args)
  expect(container.image).toBe(`svc:${manifest.version}`)
  const ports = v.parse(service, drivers).spec.ports.filter(({ name }) => name.startsWith('driver-'))
  const [first, last] = [Number(portRangeStart), Number(portRangeEnd)]
  expect(ports.map(({ port }) => port)).toEqual(
    Array.from({ length: last - first + 1 }, (_, at) => first + at),
  )
})
