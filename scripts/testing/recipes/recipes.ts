import type { Recipe } from './recipe.ts'

/** The sections of CONTRIBUTING.md that add something, each with an example that differs from what exists. */
export const RECIPES: readonly Recipe[] = [
  {
    heading: 'Add a route',
    edits: [
      {
        file: 'src/server/tokens/routes.ts',
        before: `    defineRoute('PATCH /api/tokens/:id', {`,
        text: `    defineRoute('GET /api/tokens/:id/name', {
      access: 'signed_in',
      summary: 'Retrieve the name of an API token',
      response: v.object({ name: v.string() }),
      async run({ db }, { caller, params }) {
        const user = await actingUser(db, caller)
        const { name } = await findApiToken(db, user.id, params.id)
        return { name }
      },
    }),
`,
      },
      {
        file: 'clients/contract/unwrapped.txt',
        after: 'GET /api/tokens/{id} — tokens.list() has all of them\n',
        text: 'GET /api/tokens/{id}/name — tokens.list() has it\n',
      },
      {
        file: 'tests/support/server/access/table.ts',
        after: `  { route: 'GET /api/tokens/:id', statuses: OWNER, call: ownToken },
`,
        text: `  {
    route: 'GET /api/tokens/:id/name',
    statuses: OWNER,
    call: async (world) => ({ path: \`/api/tokens/\${await world.token()}/name\` }),
  },
`,
      },
    ],
    commands: [
      'npm run docs',
      'npm run clients',
      'npm test -- tests/server/access.test.ts tests/server/http/openapi.test.ts tests/clients/contract.test.ts',
    ],
  },
  {
    heading: 'Add a collection',
    names: { '<name>': 'cold_heads', '<feature>': 'qpus' },
    edits: [
      {
        file: 'src/db/collections/cold_heads.ts',
        content: `import { defineCollection } from '../schema/collection.ts'
import { number, relation, text } from '../schema/fields/index.ts'

/** Cold heads of the cryostats, with their hours of operation. */
export const coldHeads = defineCollection({
  name: 'cold_heads',
  fields: {
    qpu: relation('qpus', { required: true, cascade: true }),
    serial: text({ required: true }),
    hours: number({ min: 0 }),
  },
  rules: { list: '', view: '', create: null, update: null, remove: null },
  indexes: [['qpu']],
})
`,
      },
      {
        file: 'src/db/collections.ts',
        before: `import { drivers } from './collections/drivers.ts'
`,
        text: `import { coldHeads } from './collections/cold_heads.ts'
`,
      },
      { file: 'src/db/collections.ts', before: '  drivers,\n', text: '  coldHeads,\n' },
      {
        file: 'src/db/store/qpus/index.ts',
        before: "export { drivers } from '../../collections/drivers.ts'\n",
        text: "export { coldHeads } from '../../collections/cold_heads.ts'\n",
      },
      {
        file: 'tests/db/transfer/support.ts',
        before: "import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'\n",
        text: "import { coldHeads } from '../../../src/db/store/qpus/index.ts'\n",
      },
      {
        file: 'tests/db/transfer/support.ts',
        before: "    tx.insert(notes, { at: '2026-01-31 09:05:00.000Z'",
        text: "    tx.insert(coldHeads, { qpu: qpu.id, serial: 'CH-1', hours: 5 })\n",
      },
      {
        file: 'tests/server/records/rules.test.ts',
        before: '  drivers: SIGNED_IN,\n',
        text: '  cold_heads: PUBLIC,\n',
      },
      {
        file: 'tests/support/server/sample-records.ts',
        before: `    events: { source: 'd'`,
        text: `    cold_heads: { qpu, serial: 'CH-1' },
`,
      },
    ],
    commands: [
      'UPDATE_GOLDEN=1 npm test -- tests/db/collections',
      'npm run clients',
      'npm test -- tests/db/collections tests/db/records tests/db/transfer tests/server/records tests/server/access.test.ts',
    ],
  },
  {
    heading: 'Add an event',
    names: { '<type>': 'helium_level' },
    edits: [
      {
        file: 'src/protocol/events/helium_level.ts',
        content: `import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'

/** Level of the liquid helium of a dewar. */
export const heliumLevel = defineEvent({
  type: 'HeliumLevel',
  log: true,
  payload: v.object({ percent: v.pipe(v.number(), v.minValue(0), v.maxValue(100)) }),
})
`,
      },
      {
        file: 'src/protocol/events/index.ts',
        before: `import { jobHeartbeat }`,
        text: `import { heliumLevel } from './helium_level.ts'
`,
      },
      { file: 'src/protocol/events/index.ts', before: '  jobHeartbeat,\n', text: '  heliumLevel,\n' },
    ],
    commands: ['npm run docs', 'npm test -- tests/protocol tests/server/events'],
  },
  {
    heading: 'Add a device',
    names: { '<operation>': 'process', '<name>': 'coin' },
    edits: [
      {
        file: 'src/devices/process/coin/index.ts',
        content: `import { JOB_LIMITS } from '../../../protocol/index.ts'
import { defineDevice } from '../../define-device.ts'
import { JobError } from '../../errors.ts'
import { describeSimulator } from '../../simulation/describe-simulator.ts'
import { validateJob } from '../../simulation/simulate-job.ts'

const QUBITS = 1

/** Checks jobs of one qubit, and runs none. */
export const coin = defineDevice({
  operation: 'process',
  name: 'coin',
  create: ({ device }) => ({
    async run(job) {
      validateJob(device, job.payload, {
        declaredQubits: QUBITS,
        stateQubits: QUBITS,
        shots: JOB_LIMITS.shots,
      })
      throw new JobError(\`\${device} is not tossed yet\`, { errorCode: 'not_implemented' })
    },
    describe: () => ({ ...describeSimulator({ qubits: QUBITS }), simulator: false }),
  }),
})
`,
      },
      {
        file: 'src/devices/built-in.ts',
        before: `      mock: async () =>`,
        text: `      coin: async () => (await import('./process/coin/index.ts')).coin,
`,
      },
    ],
    commands: ['npm test -- tests/devices/process.test.ts tests/devices/resolve-device.test.ts'],
  },
  {
    heading: 'Add a setting',
    edits: [
      {
        file: 'src/server/config/settings.ts',
        before: `    policy: setting(`,
        text: `    spareThreshold: setting(
      duration(),
      '5s',
      'Time for which a spare QPU waits before it takes jobs of another one',
    ),
`,
      },
      {
        file: 'src/server/config/live-config.ts',
        before: `  'jobsRetention',
`,
        text: `  'spareThreshold',
`,
      },
    ],
    commands: ['npm run docs', 'npm test -- tests/server/config tests/docs.test.ts'],
  },
  {
    heading: 'Add a limit',
    edits: [
      {
        file: 'docs/reference/limits.md',
        after: `| Parameters of a query | 1,000 | 1,000 | 1,000 | 400 \`too_many_fields\` |
`,
        text: `| Letters of a greeting | 10 | 10 | 10 | 400 \`invalid\` |
`,
      },
      {
        file: 'tests/attack/corpus/coverage.ts',
        before: `  'JSON: nested lists and objects': [`,
        text: `  'Letters of a greeting': ['url-long'],
`,
      },
    ],
    commands: ['npm run docs', 'npm test -- tests/attack tests/docs.test.ts'],
  },
]
