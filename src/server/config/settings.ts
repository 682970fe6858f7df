import { group, kinds, MINUTE_MS, type SettingsTable, setting, type ValuesOf } from '../../base/index.ts'
import { MAX_FAIR_WINDOW_MS } from '../../db/store/accounts/index.ts'
import { backupRetention } from './backup-retention.ts'
import { oauth2Providers } from './oauth2-providers.ts'
import { serviceLimits } from './service-limits.ts'

const {
  bool,
  bytes,
  choice,
  duration,
  integer,
  ipAddress,
  list,
  network,
  number,
  optional,
  rate,
  secret,
  text,
} = kinds

const collectionName = text('name', {
  pattern: /^[a-z][a-z0-9_]{0,62}$/,
  expected: 'a lower-case name of letters, digits and underscores that starts with a letter',
})
const publicUrl = text('url', {
  pattern: /^(https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?)?$/,
  expected: 'an address such as https://svc.example.org, without query',
})
const databaseUrl = text('url', {
  pattern: /^(postgres(ql)?:\/\/[^\s/?#@:]+@[^\s/?#@,]+\/[^\s/?#@]+)?$/,
  expected: 'an address such as postgres://svc@db.example.org/svc, with one host and without a password',
})
const mailAddress = text('address', {
  pattern: /^([^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)?$/,
  expected: 'an e-mail address such as svc@example.org or Lab <svc@example.org>',
})
const siteName = text('name', {
  pattern: /^[^\p{Cc}]{1,60}$/u,
  expected: 'a name of at most 60 characters',
})
const path = text('path')
const port = integer({ min: 1, max: 65_535 })
const optionalPort = integer({ min: 0, max: 65_535 })

/**
 * Every setting of the server, declared once. The flag (`--idle-threshold`), the variable
 * (`SVC_IDLE_THRESHOLD`), the config key (`idleThreshold`), `svc serve --help` and docs/reference/settings.md
 * follow from the declaration.
 */
export const SETTINGS = {
  ...group('General', {
    configFile: setting(path, 'svc.config.yml', 'Config file, JSON or YAML'),
    dir: setting(path, 'svc_data', 'Data folder, which holds the database'),
    database: setting(
      // A password in it is refused, and not repeated.
      secret(databaseUrl),
      '',
      'PostgreSQL database, such as postgres://svc@db.example.org/svc; if unset, a file in the data folder',
    ),
    databasePasswordFile: setting(optional(path), '', 'File whose first line is the password of --database'),
    databaseRootCert: setting(
      optional(path),
      '',
      'Certificates that sign the one of --database, in PEM; required unless it is on this machine',
    ),
    backupTaken: setting(
      bool(),
      'false',
      'Confirm a backup of --database, which this version may then change; for one start',
    ),
    checkpoints: setting(
      choice(['server', 'external']),
      'server',
      'Who copies the write-ahead log into the database: the server, or a replicator such as Litestream',
    ),
    acknowledge: setting(
      choice(['flushed', 'replicated']),
      'flushed',
      'When a change is acknowledged: when it is on the disk, or when the replicator has it elsewhere too; needs --checkpoints external and --replicator-socket',
    ),
    replicatorSocket: setting(optional(path), '', 'Control socket of Litestream, which confirms changes'),
    replicatorTimeout: setting(
      duration(1_000, MINUTE_MS),
      '10s',
      'Time for the replicator to confirm a change; after it, the request is refused with 503 not_replicated',
    ),
    siteName: setting(siteName, 'svc', 'Service name shown in the web interface'),
  }),
  ...group('Network', {
    serverPort: setting(optionalPort, '8090', 'HTTP port'),
    httpsPort: setting(optionalPort, '8443', 'HTTPS port; 0 disables HTTPS'),
    listenAddr: setting(
      optional(ipAddress()),
      '',
      'Listen address; if unset, loopback while --ip-addr is loopback, otherwise all interfaces',
    ),
    ipAddr: setting(ipAddress(), '127.0.0.1', 'Public IP address, included in the TLS certificate'),
    domain: setting(text('host'), '', 'Domain name, included in the TLS certificate'),
    publicUrl: setting(publicUrl, '', 'Base URL of links in mails; if unset, the address printed at start'),
    trustedProxies: setting(
      list(network()),
      '',
      'Networks of reverse proxies whose X-Forwarded-For, Forwarded and X-Forwarded-Proto are believed',
    ),
    corsOrigins: setting(
      list(text('origin')),
      '',
      'Origins allowed to call the API from browsers; * allows all',
    ),
    hstsMaxAge: setting(
      duration(),
      '0',
      'Time for which browsers may use only HTTPS; covers every port of the host name, so the HTTP port becomes unusable in browsers; 0 = no HSTS',
    ),
    portRangeStart: setting(port, '6000', 'First port of the driver connections'),
    portRangeEnd: setting(port, '7000', 'Last port of the driver connections'),
  }),
  ...group('TLS', {
    tlsCaCertFile: setting(path, '.svc.ca.pem', 'Root CA certificate file'),
    tlsCaKeyFile: setting(path, '.svc.ca.key', 'Root CA key file'),
    tlsCertFile: setting(path, '.svc.cert.pem', 'Server certificate file'),
    tlsKeyFile: setting(path, '.svc.key', 'Server key file'),
  }),
  ...group('Queue', {
    idleThreshold: setting(
      duration(),
      '5s',
      'Time a booked slot must be idle before jobs of other users run in it',
    ),
    policy: setting(
      choice(['fifo', 'fair']),
      'fifo',
      'Order of jobs outside booked slots: of submission, or users with little recent QPU time first',
    ),
    fairWindow: setting(
      duration(MINUTE_MS, MAX_FAIR_WINDOW_MS),
      '24h',
      'QPU time of this long counts for --policy fair; in whole minutes',
    ),
    sessionRate: setting(
      number({ min: 0, max: 1_000 }),
      '1',
      'QPU seconds that each second of an exclusive session costs',
    ),
    sessionCalibrationDelay: setting(
      duration(),
      '30m',
      'Longest time that a calibration begun by a tuner itself waits for the end of an active session',
    ),
    jobTimeout: setting(
      duration(100),
      '20s',
      'Time without a heartbeat after which a running job is requeued',
    ),
    calibrationWait: setting(
      duration(1_000),
      '1h',
      'Time that a calibration waits for a running job whose driver does not report its time limit',
    ),
    recoveryInterval: setting(duration(10), '10s', 'Interval between checks for stalled jobs'),
    dispatchPollInterval: setting(duration(10), '1s', 'Maximum delay between two dispatch polls'),
    maxAttempts: setting(integer({ min: 0, max: 1_000 }), '5', 'Maximum attempts per job; 0 = no limit'),
    jobsVisibility: setting(choice(['public', 'owner']), 'public', 'Who may read the jobs collection'),
  }),
  ...group('Accounts', {
    disableEmailPasswordAuth: setting(bool(), 'false', 'Disable password login for users'),
    allowSignup: setting(bool(), 'false', 'Allow anyone to create a user account'),
    oauth2Providers: setting(oauth2Providers(), '', 'OAuth2 providers, a JSON array'),
    oauth2Relay: setting(
      bool(),
      'true',
      'Pass logins at a provider to programs that wait for them on an event stream, after a click of the user',
    ),
  }),
  ...group('Mail', {
    smtpHost: setting(text('host'), '', 'Mail server; if unset, no mail is sent'),
    smtpPort: setting(port, '587', 'Mail server port'),
    smtpTls: setting(choice(['starttls', 'tls', 'none']), 'starttls', 'Encryption of the mail connection'),
    smtpCaFile: setting(path, '', 'CA certificate file for a mail server without a public certificate'),
    smtpUser: setting(text('name'), '', 'Mail server user; if unset, no login'),
    smtpPassword: setting(secret(text('password')), '', 'Mail server password'),
    smtpFrom: setting(mailAddress, '', 'Sender address of mails, such as svc@example.org'),
  }),
  ...group('Webhooks', {
    webhookNetworks: setting(
      list(network()),
      '',
      'Networks that webhooks may reach although they are private, reserved or those of the server',
    ),
    webhookCaFile: setting(
      path,
      '',
      'CA certificate file for receivers of webhooks without a public certificate',
    ),
  }),
  ...group('Limits', {
    loginRate: setting(
      integer({ min: 0, max: 100_000 }),
      '10',
      'Failed logins at once, per account and address, then one after 1, 2, 4, 8 and each 16 minutes; ten times as many at once and per hour, per account and per address; 0 = no limit',
    ),
    anonymousRate: setting(rate(), '20:60', 'Requests without login, per address'),
    guestStreams: setting(
      integer({ min: 1, max: 2_000 }),
      '50',
      'Maximum open event streams without login, per address',
    ),
    signupRate: setting(rate(), '0.1:20', 'Accounts created by sign-up, per address'),
    userRate: setting(rate(), '100:200', 'Requests, per user'),
    submitRate: setting(rate(), '20:100', 'Job submissions, per user'),
    maxPendingJobs: setting(integer({ min: 1, max: 10_000_000 }), '1000', 'Maximum pending jobs per user'),
    maxUserBytes: setting(
      bytes(),
      '10GiB',
      'Maximum size of the stored jobs of a user, programs and results; 0 = no limit',
    ),
    maxSlotLength: setting(duration(MINUTE_MS), '24h', 'Maximum length of a booking'),
    maxSlotAhead: setting(duration(MINUTE_MS), '1440h', 'How far in advance a booking may start'),
    maxOpenTimeRequests: setting(
      integer({ min: 1, max: 1_000 }),
      '1',
      'Maximum open QPU time requests per user',
    ),
    readers: setting(
      integer({ min: 1, max: 16 }),
      '2',
      'Processes that run lists whose cost depends on their filter, sort or page',
    ),
    readTimeout: setting(duration(100), '2s', 'Processor time that such a list of a guest or user may take'),
    superuserReadTimeout: setting(
      duration(100),
      '30s',
      'Processor time that such a list of a superuser may take',
    ),
    eventRateLimit: setting(
      integer({ min: 0, max: 1_000_000 }),
      '100',
      'Maximum inbound events per second, per driver; 0 = no limit',
    ),
  }),
  ...group('Retention', {
    jobsRetention: setting(duration(), '0', 'Age at which an ended job is deleted; 0 = never'),
    eventsRetention: setting(
      duration(),
      '720h',
      'Age at which an event or an ended session is deleted; 0 = never',
    ),
    eventsPruneInterval: setting(duration(100), '1h', 'Interval between two prunings'),
    calibrationRequestRetention: setting(
      duration(),
      '720h',
      'Age at which a finished calibration request is deleted; 0 = never',
    ),
    calibrationResultRetention: setting(
      duration(),
      '0',
      'Age at which a calibration report is deleted; 0 = never',
    ),
    calibrationFitRetention: setting(
      duration(),
      '720h',
      'Age at which trace data is removed from calibration reports; 0 = never',
    ),
  }),
  ...group('Backups', {
    backupEvery: setting(
      duration(),
      '0',
      'Interval of the backups that the server makes in the data folder; 0 = none',
    ),
    backupKeep: setting(
      backupRetention(),
      '96:7:4',
      'Backups with automatic names to keep: the last ones, one per day and one per week',
    ),
  }),
  ...group('Alerts', {
    serviceLimits: setting(
      serviceLimits(),
      '',
      'Limits of figures of the service in place of their defaults, such as svc_disk_free_bytes=20GiB,svc_memory_bytes=none',
    ),
  }),
  ...group('Logging', {
    logLevel: setting(choice(['debug', 'info', 'warn', 'error']), 'info', 'Minimum level of logged messages'),
    logStorage: setting(
      bytes(),
      '64MiB',
      'Maximum size of the log that is stored in the data folder; 0 = not stored',
    ),
    logFormat: setting(choice(['auto', 'pretty', 'json']), 'auto', 'Log format'),
  }),
  ...group('Collection names', {
    qpusCollection: setting(collectionName, 'qpus', 'Name of the QPU collection'),
    timeslotsCollection: setting(collectionName, 'time_slots', 'Name of the bookings collection'),
    jobsCollection: setting(collectionName, 'quantum_jobs', 'Name of the jobs collection'),
    apiTokensCollection: setting(collectionName, 'api_tokens', 'Name of the API tokens collection'),
    notificationsCollection: setting(collectionName, 'notifications', 'Name of the notifications collection'),
    qpuTimeRequestsCollection: setting(
      collectionName,
      'qpu_time_requests',
      'Name of the QPU time requests collection',
    ),
  }),
} satisfies SettingsTable

export type SettingName = keyof typeof SETTINGS
/** The effective configuration: read once at start, then passed on. */
export type Config = ValuesOf<typeof SETTINGS>
