/** Folders of `src/db` with an index of their own, beside `src/db/index.ts`, which is the database itself. */
export const STORE_INDEXES = [
  'journal',
  'query',
  'recording',
  'sqlite/backup',
  'store/accounts',
  'store/bookings',
  'store/calibrations',
  'store/jobs',
  'store/mail',
  'store/maintenance',
  'store/qpus',
  'store/readings',
  'store/recalls',
  'store/sessions',
  'store/shares',
  'store/webhooks',
  'transfer',
] as const

/** A part of the server and the indexes of the store that it uses. */
export interface FeatureImports {
  /** Path prefix of its files. The longest one that fits counts. */
  path: string
  uses: readonly (typeof STORE_INDEXES)[number][]
}

/** What each feature of the server uses of the store, besides the database itself. */
export const FEATURE_IMPORTS: readonly FeatureImports[] = [
  { path: 'src/server/', uses: ['sqlite/backup', 'store/jobs', 'store/maintenance', 'store/sessions'] },
  { path: 'src/server/accounting/', uses: ['store/accounts', 'store/qpus', 'transfer'] },
  { path: 'src/server/admin/', uses: ['sqlite/backup', 'journal', 'transfer'] },
  { path: 'src/server/auth/', uses: ['journal', 'query', 'store/accounts', 'store/sessions'] },
  {
    path: 'src/server/bookings/',
    uses: ['journal', 'store/accounts', 'store/bookings', 'store/qpus', 'store/sessions'],
  },
  { path: 'src/server/calibration/', uses: ['store/calibrations', 'store/jobs', 'store/qpus'] },
  { path: 'src/server/config/', uses: ['sqlite/backup', 'store/accounts'] },
  { path: 'src/server/drivers/', uses: ['store/qpus'] },
  {
    path: 'src/server/events/',
    uses: ['journal', 'store/jobs', 'store/maintenance', 'store/qpus', 'store/readings'],
  },
  { path: 'src/server/http/', uses: ['query', 'store/accounts', 'store/jobs'] },
  {
    path: 'src/server/jobs/',
    uses: [
      'journal',
      'query',
      'store/accounts',
      'store/calibrations',
      'store/jobs',
      'store/maintenance',
      'store/qpus',
      'store/recalls',
      'store/sessions',
    ],
  },
  { path: 'src/server/mail/', uses: ['store/mail'] },
  { path: 'src/server/meta/', uses: ['store/accounts', 'store/maintenance'] },
  { path: 'src/server/metrics/', uses: ['store/jobs', 'store/maintenance'] },
  { path: 'src/server/notifications/', uses: ['store/accounts'] },
  { path: 'src/server/qpus/', uses: ['store/calibrations', 'store/jobs', 'store/qpus'] },
  { path: 'src/server/realtime/', uses: ['query'] },
  { path: 'src/server/recalls/', uses: ['store/qpus', 'store/recalls'] },
  {
    path: 'src/server/records/',
    uses: ['journal', 'query', 'store/accounts', 'store/jobs', 'transfer'],
  },
  {
    path: 'src/server/records/behaviors/',
    uses: [
      'journal',
      'store/accounts',
      'store/bookings',
      'store/calibrations',
      'store/jobs',
      'store/mail',
      'store/qpus',
      'store/readings',
      'store/recalls',
      'store/sessions',
    ],
  },
  { path: 'src/server/sessions/', uses: ['journal', 'store/jobs', 'store/qpus', 'store/sessions'] },
  { path: 'src/server/shares/', uses: ['store/calibrations', 'store/qpus', 'store/shares'] },
  { path: 'src/server/simulate/', uses: ['recording', 'store/accounts', 'store/jobs', 'store/qpus'] },
  { path: 'src/server/tokens/', uses: ['store/accounts'] },
  { path: 'src/server/users/', uses: ['store/accounts', 'store/jobs', 'store/maintenance'] },
  {
    path: 'src/server/webhooks/',
    uses: ['store/calibrations', 'store/jobs', 'store/qpus', 'store/webhooks'],
  },
]
