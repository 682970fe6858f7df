/** What the blocks of a page need: values of its variables and of its placeholders in capitals. */
interface Guide {
  /** Whose login token is `TOKEN`; users have an API token. */
  as: 'superuser' | 'user'
  /** What the whole page prints, at least. */
  prints: RegExp
}

/** Pages whose blocks `tests/how-to/guides.test.ts` runs, each against a server with users, QPUs and jobs. */
export const GUIDES: Readonly<Record<string, Guide>> = {
  'docs/how-to/accounts.md': { as: 'superuser', prints: /"link":"[^"]+\/_\/|"url":"[^"]+"|token=/ },
  'docs/how-to/back-up.md': {
    as: 'superuser',
    prints: /svc-\d{8}T\d{6}\.\d{3}Z\.db[\s\S]*no problems found/,
  },
  'docs/how-to/compare-policies.md': { as: 'superuser', prints: /recorded/ },
  'docs/how-to/hold-a-qpu.md': { as: 'user', prints: /"state":"queued"[\s\S]*"secret":"/ },
  'docs/how-to/mail.md': { as: 'user', prints: /"mail_job_after":3600/ },
  'docs/how-to/monitor-a-cryostat.md': { as: 'superuser', prints: /"series":\[\]/ },
  'docs/how-to/move-data.md': { as: 'superuser', prints: /no problems found/ },
  'docs/how-to/operate.md': { as: 'superuser', prints: /"status":"pending"[\s\S]*job\.hold/ },
  'docs/how-to/receipts.md': { as: 'user', prints: /Signature and document +OK[\s\S]*Results +OK/ },
  'docs/how-to/run-a-driver.md': { as: 'superuser', prints: /process: .*aer_sim[\s\S]*max_qubits/ },
  'docs/how-to/run-in-slurm.md': { as: 'superuser', prints: /"scope":"session"[\s\S]*"uid":1000/ },
  'docs/how-to/run-the-server.md': { as: 'superuser', prints: /"lines":\[/ },
  'docs/how-to/use-the-command-line.md': {
    as: 'user',
    prints: /^ +00 +\d+[\s\S]*Submitted job[\s\S]*Cancelled job/m,
  },
}

/** Pages whose blocks a test of their own runs. */
export const OWN_TESTS: Readonly<Record<string, string>> = {
  'docs/how-to/calibrate.md': 'tests/black-box/drivers/calibrate-page.test.ts',
  'docs/how-to/run-python-code.md': 'tests/clients/python/driver-package.test.ts',
  'docs/tutorials/first-job.md': 'tests/black-box/operation/tutorial.test.ts',
}
