/** The order of the entries of one folder, which decides who may import whom; type imports count. */
export interface FolderOrder {
  /** The folder, without a slash at its end. */
  folder: string
  /**
   * Names of subfolders and of files directly in the folder, lowest first. A file imports from its own entry
   * and from the steps below; entries of one step do not import each other. `index.ts` comes last unless a
   * step names it. Any other entry that no step names is a breach. The step `*` stands for all subfolders
   * that no step names, and these may import each other.
   */
  steps: readonly (readonly string[])[]
  /**
   * When set, files directly in the folder that no step names are open to all entries and may import up to
   * the step that holds this entry.
   */
  sharedFilesReach?: string
}

/** One entry per ordered folder; subfolders with an order of their own have their own entry. */
export const FOLDER_ORDERS: readonly FolderOrder[] = [
  {
    folder: 'src/qasm',
    steps: [
      ['rational.ts'],
      ['circuit.ts', 'error.ts', 'limits.ts'],
      ['fault.ts', 'foreign-format.ts'],
      ['warnings.ts'],
      ['values'],
      ['gates'],
      ['syntax', 'template'],
      ['execute'],
      ['features.ts', 'declare-unknown.ts', 'extent.ts'],
      ['used-qubits.ts'],
      ['checker.ts', 'draw.ts'],
      ['program.ts'],
    ],
  },
  {
    folder: 'src/protocol/zmtp',
    steps: [['framing'], ['handshake'], ['connection'], ['connect', 'listen']],
  },
  {
    folder: 'ui',
    steps: [
      ['lib'],
      ['api'],
      ['jobs'],
      ['app'],
      ['docs'],
      ['plots'],
      ['parts', 'editor'],
      ['frame'],
      ['pages'],
      ['Outlet.tsx'],
      ['admin', 'main.tsx', 'theme-boot.ts'],
    ],
  },
  {
    folder: 'src/driver',
    steps: [
      ['messages'],
      ['connection', 'operations'],
      ['tasks'],
      ['device-process'],
      ['lock.ts', 'settings.ts'],
      ['check-instrument.ts', 'run-routine.ts', 'start.ts'],
    ],
  },
  {
    folder: 'src/server',
    steps: [
      ['access-token.ts', 'driver-hub.ts', 'services.ts', 'short-writes.ts', 'wake-on-changes.ts'],
      ['config'],
      ['admission'],
      ['mail', 'programs', 'tls', 'write-ahead-log.ts'],
      ['context.ts'],
      ['bound-times.ts', 'http'],
      ['drivers', 'meta', 'qpus', 'users', 'waiting'],
      ['admin', 'auth', 'calibration', 'metrics'],
      ['accounting', 'bookings', 'jobs', 'notifications', 'recalls', 'sessions', 'tokens', 'webhooks'],
      ['events', 'records', 'shares', 'simulate'],
      ['reader-main.ts', 'realtime'],
      ['routes.ts'],
      ['instance'],
      ['gate.ts'],
      ['database-service.ts'],
      ['create-server.ts'],
    ],
  },
  {
    folder: 'src/server/instance',
    steps: [['dependencies.ts'], ['database.ts', 'parts.ts'], ['services.ts'], ['instance.ts']],
  },
  {
    folder: 'src/server/jobs',
    steps: [
      ['attempts', 'chip'],
      ['judgement'],
      ['dispatch', 'responses.ts'],
      ['wait-estimate.ts'],
      ['quote.ts'],
      ['view.ts'],
      ['labels.ts'],
      [
        'cancel.ts',
        'delete.ts',
        'list-filter.ts',
        'partial-results.ts',
        'receipt.ts',
        'submission',
        'waiting',
      ],
      ['operator-routes.ts', 'queue-route.ts', 'routes.ts'],
    ],
  },
  {
    folder: 'src/server/http',
    steps: [
      ['caller.ts', 'media.ts', 'schema.ts', 'coding'],
      ['limits'],
      ['request', 'response', 'address.ts', 'route.ts'],
      ['reading.ts', 'replicated.ts', 'untrusted-proxy.ts'],
      ['app.ts', 'error-codes.ts'],
      ['openapi.ts', 'ports.ts'],
    ],
  },
  {
    folder: 'src/server/records',
    steps: [
      ['service.ts'],
      ['behavior.ts'],
      ['hash-sent.ts'],
      ['behaviors'],
      ['read', 'shape'],
      ['errors.ts', 'write'],
      ['routes.ts'],
    ],
  },
  {
    folder: 'src/cli',
    steps: [
      ['built-folder.ts', 'version.ts'],
      ['command-line', 'plot'],
      ['calibrate', 'check', 'client', 'device-file'],
      [
        'completion.ts',
        'data',
        'driver',
        'health.ts',
        'licenses.ts',
        'serve',
        'session',
        'simulate',
        'superuser.ts',
        'verify',
      ],
      ['demo'],
      ['commands.ts'],
      ['main.ts'],
    ],
  },
  {
    folder: 'src/db',
    steps: [
      ['engine'],
      ['schema'],
      ['journal'],
      ['hooks'],
      ['collections'],
      ['collections.ts'],
      ['filter'],
      ['records'],
      ['sums'],
      ['query', 'store'],
      ['integrity'],
      ['open-database.ts'],
      ['readers'],
      ['postgres', 'sqlite'],
      ['run-reader.ts', 'read-database.ts'],
      ['reader-main.ts'],
      ['transfer'],
      ['recording'],
    ],
  },
  {
    folder: 'src/db/filter',
    steps: [['language'], ['sql'], ['resolve'], ['compile.ts'], ['sort.ts']],
  },
  {
    folder: 'src/db/store',
    steps: [
      ['bookings', 'mail', 'qpus', 'readings', 'shares', 'webhooks'],
      ['accounts'],
      ['sessions'],
      ['jobs'],
      ['calibrations', 'maintenance', 'recalls'],
    ],
  },
  {
    folder: 'src/simulator',
    steps: [
      ['errors.ts', 'numeric', 'readout'],
      ['timing'],
      ['kernel', 'noise'],
      ['reduction', 'tally'],
      ['exact'],
      ['define-method.ts'],
      ['feedback'],
      ['methods'],
      ['circuits'],
      ['batch'],
      ['simulator.ts'],
    ],
  },
  {
    folder: 'src/simulator/methods',
    steps: [['statevector'], ['density_matrix', 'matrix_product_state', 'stabilizer', 'trajectories']],
  },
  {
    folder: 'src/simulator/methods/statevector',
    steps: [['gates', 'tally-indices.ts'], ['state'], ['branching'], ['exact.ts', 'run.ts']],
  },
  {
    folder: 'src/devices',
    steps: [
      ['errors.ts', 'fitting', 'options.ts', 'safe-path.ts'],
      ['chip'],
      ['define-device.ts', 'operation-options.ts', 'results.ts'],
      ['noise', 'pulse', 'python-worker'],
      ['bench', 'compiler', 'simulation'],
      ['scheduler', 'tuning'],
      ['sdk.ts'],
      ['provide-sdk.ts'],
      ['built-in-tuner.ts'],
      ['calibrate', 'monitor', 'process'],
      ['built-in.ts'],
      ['describe-options.ts', 'python'],
      ['resolve-device.ts'],
      ['read-options.ts'],
      ['open-device.ts'],
    ],
  },
  {
    folder: 'src/devices/tuning',
    steps: [
      ['drift', 'herald.ts', 'progress.ts', 'routine-names.ts', 'tuner-options.ts'],
      ['config', 'routine.ts'],
      ['measure', 'plan'],
      ['python-routines', 'routines', 'walk'],
      ['chip-values.ts', 'continuation', 'report'],
      ['run'],
      ['tuner-device.ts'],
    ],
  },
  {
    folder: 'src/devices/compiler',
    steps: [
      ['decompose'],
      ['optimize'],
      ['route'],
      ['levels.ts'],
      ['schedule'],
      ['to-openqasm.ts'],
      ['compile.ts'],
    ],
  },
]
