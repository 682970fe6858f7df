/**
 * The blocks of commands that no test runs as they stand, by page: the first line of the block, and why. A
 * reason may name the test that runs the same.
 */
export const NOT_RUN: Readonly<Record<string, readonly (readonly [line: string, reason: string])[]>> = {
  'README.md': [
    ['npm ci && npm start', 'builds this checkout; tests/clients/first-programs.test.ts runs its demo'],
    ['npm ci && npm test', 'runs the tests'],
    ['npm ci && npm run build && ./svc demo --once', 'builds this checkout, as the tests do'],
    [
      "svc superuser upsert admin@example.org 'a long password'",
      'the server runs until it is stopped; tests/black-box/operation/tutorial.test.ts runs the same',
    ],
    [
      'SUPERUSER_TOKEN=$(curl -s http://10.0.0.5:8090/api/collections/_superusers/auth-with-password \\',
      'tests/black-box/operation/tutorial.test.ts runs the same',
    ],
    [
      'export SVC_ACCESS_TOKEN=...            # access_token of the response',
      'tests/black-box/operation/tutorial.test.ts runs the same',
    ],
    ['svc login http://10.0.0.5:8090', 'asks for a password; tests/clients/command-line/commands.test.ts'],
  ],
  'docs/how-to/back-up.md': [
    [
      'svc backup --every 15m --keep 96:7:4',
      'runs until it is stopped; tests/black-box/operation/backup.test.ts',
    ],
  ],
  'docs/how-to/book-time.md': [
    ["DAY=$(date -d 'next monday' +%F)", 'names a server that does not exist; tests/server/bookings'],
  ],
  'docs/how-to/bring-up-a-chip.md': [
    [
      'svc driver check --operation process --device scheduler_a \\',
      'needs a control cluster; tests/cli/check/check.test.ts',
    ],
    [
      'svc driver calibrate --routine resonator_spectroscopy --target q0 --device scheduler_a_tuner -o …',
      '… stands for your files; tests/black-box/drivers/calibrate-page.test.ts runs one',
    ],
  ],
  'docs/how-to/change-the-dashboard.md': [
    [
      'npx bun run scripts/build-ui.ts     # ui/ and docs/ → web/, takes a few seconds',
      'builds the pages of this checkout, as each build does',
    ],
    ['npx bun test tests/ui               # parts and build, about a second', 'runs the tests'],
  ],
  'docs/how-to/data-in-a-notebook.md': [
    [
      "npm ci && npm run clients && pip install clients/python/dist/*.whl './drivers/python[xarray]' matplotlib",
      'installs packages; tests/clients/python/xarray.test.ts installs the same',
    ],
  ],
  'docs/how-to/https-behind-a-proxy.md': [
    [
      'curl -s https://svc.example.org/api/health',
      'needs a proxy with a certificate; tests/black-box/network/reverse-proxy.test.ts',
    ],
  ],
  'docs/how-to/install-as-a-service.md': [
    [
      'useradd --system --home-dir /var/lib/svc --shell /usr/sbin/nologin svc',
      'needs root and systemd; tests/examples/systemd.test.ts',
    ],
    ['cd /var/lib/svc && sudo -u svc svc backup', 'needs root and systemd'],
    [
      'svc completion bash > /usr/share/bash-completion/completions/svc',
      'writes to folders of the system; tests/black-box/operation/completion.test.ts',
    ],
  ],
  'docs/how-to/install.md': [
    ['npm ci && npm run build && ./svc demo --once', 'builds this checkout, as the tests do'],
    [
      'sudo apt install ./dist/svc_*_amd64.deb',
      'needs root; tests/release/artifacts.test.ts installs it in a clean root',
    ],
    [
      'python3 -m venv env && env/bin/pip install --no-index dist/svc_server-*_x86_64.whl',
      'needs a release; tests/release/artifacts.test.ts runs it as printed',
    ],
    [
      'npm install --offline ./dist/svc-server-linux-x64-*.tgz ./dist/svc-server-2*.tgz',
      'needs a release; tests/release/artifacts.test.ts runs it as printed',
    ],
    [
      'skopeo copy "oci-archive:$(ls dist/svc-*-image.oci.tar)" docker-daemon:svc:latest',
      'needs a container runtime; tests/release/artifacts.test.ts starts the image',
    ],
  ],
  'docs/how-to/keep-raw-data.md': [
    [
      'svc driver start --operation process --device scheduler_b \\',
      'needs a control cluster; tests/devices/bench/raw-data/raw-data-folder.test.ts',
    ],
  ],
  'docs/how-to/make-a-release.md': [['npm ci', 'makes a release; tests/release/artifacts.test.ts does']],
  'docs/how-to/monitor-a-cryostat.md': [
    ['export SVC_ACCESS_TOKEN=...', 'needs a cryostat; tests/devices/monitor/cryostat_gen1/index.test.ts'],
    [
      'curl -X PATCH https://svc.example.org/api/collections/drivers/records/1ma5b8zk3fh2w0q -H "Authorization: $SUPERUSER_TOKEN" \\',
      'names a driver by its id; tests/server/records/behaviors/equipment.test.ts',
    ],
    [
      'export SVC_CRYOSTAT_CA_FILE=/etc/svc-driver/cryostat.pem',
      'needs a cryostat; tests/devices/monitor/cryostat_gen1',
    ],
    [
      'curl -X POST https://svc.example.org/api/collections/thresholds/records -H "Authorization: $SUPERUSER_TOKEN" \\',
      'names a driver by its id; tests/server/events/thresholds.test.ts',
    ],
    [
      'curl -X POST https://svc.example.org/api/collections/notes/records -H "Authorization: $SUPERUSER_TOKEN" \\',
      'names a QPU by its id',
    ],
  ],
  'docs/how-to/move-data.md': [
    [
      'curl -s "$OLD/api/collections/quantum_jobs/records?perPage=1000" -H "Authorization: $TOKEN" \\',
      'needs a server of the predecessor',
    ],
  ],
  'docs/how-to/operate.md': [
    [
      'curl -sS -H "Authorization: $SUPERUSER_TOKEN" "$SVC_ADDR/api/op/recalls" \\',
      'needs a report of a calibration; tests/server/recalls',
    ],
  ],
  'docs/how-to/postgresql.md': [
    [
      'psql -c "CREATE ROLE svc LOGIN PASSWORD \'…\'"',
      'needs a server of PostgreSQL; tests/db/postgres/engine.test.ts',
    ],
    [
      'svc serve --database postgres://svc@db.example.org/svc --database-password-file /etc/svc/password --database-root-cert /etc/svc/ca.pem',
      'needs a server of PostgreSQL; tests/db/postgres/engine.test.ts',
    ],
    [
      'svc export --whole --output whole.jsonl',
      'needs a server of PostgreSQL; tests/db/postgres/moving.test.ts',
    ],
    [
      'pg_dump -Fc -h db.example.org -U svc -f svc.dump svc          # while the servers run',
      'needs a server of PostgreSQL; tests/db/postgres/moving.test.ts',
    ],
    [
      'svc doctor --accept-loss --database postgres://svc@db.example.org/svc --database-password-file /etc/svc/password --database-root-cert /etc/svc/ca.pem',
      'needs a server of PostgreSQL; tests/cli/data/postgres.test.ts',
    ],
  ],
  'docs/how-to/replicate.md': [
    [
      'go install github.com/benbjohnson/litestream/cmd/litestream@v0.5.18',
      'needs Litestream; tests/faults/machine/lost-machine.test.ts',
    ],
    ['svc serve --checkpoints external', 'needs Litestream; tests/faults/machine/lost-machine.test.ts'],
    [
      'svc serve --checkpoints external --acknowledge replicated --replicator-socket /run/svc/litestream.sock',
      'needs Litestream; tests/faults/machine/lost-machine.test.ts',
    ],
    [
      'litestream restore -o svc_data/svc.db s3://bucket/svc',
      'needs Litestream; tests/faults/machine/lost-machine.test.ts',
    ],
  ],
  'docs/how-to/routines-in-python.md': [
    [
      'pip install ./drivers/python numpy scipy',
      'installs packages; tests/clients/python/routines.test.ts installs the same',
    ],
    [
      'svc driver calibrate --device scheduler_a_tuner --routine cpmg --target q0 --python ~/lab/venv --data-dir ~/lab/data \\',
      'needs the environment above; tests/clients/python/routines.test.ts',
    ],
  ],
  'docs/how-to/run-a-driver.md': [
    [
      'svc driver start --operation process --device aer_sim \\',
      '… stands for the fingerprint of your server; tests/black-box/operation/tutorial.test.ts runs the same',
    ],
    [
      'sudo env SVC_TOKEN=… SVC_ADDR=http://10.0.0.5:8090 CA_FINGERPRINT=… \\',
      'needs root and systemd; tests/scripts/install-driver.test.ts',
    ],
    [
      'jq .payload.results data-dir/orphaned/JOB.ATTEMPT.json',
      'needs a result that a restored server does not know',
    ],
  ],
  'docs/how-to/run-in-a-container.md': [
    [
      'skopeo copy "oci-archive:$(ls dist/svc-*-image.oci.tar)" docker-daemon:svc:2026.11.0',
      'needs a container runtime; tests/release/artifacts.test.ts',
    ],
    ['docker compose up -d', 'needs a container runtime'],
  ],
  'docs/how-to/run-python-code.md': [
    [
      'pip install ./drivers/python',
      'installs packages; tests/clients/python/driver-package.test.ts installs the same',
    ],
    [
      'svc-driver start --operation process --device lab:Chip -o address=10.0.0.2 \\',
      '… stands for the fingerprint of your server; tests/clients/python/driver-package.test.ts',
    ],
    [
      'sudo env SVC_TOKEN=… SVC_ADDR=http://10.0.0.5:8090 CA_FINGERPRINT=… SERVICE_NAME=chip \\',
      'needs root and systemd; tests/scripts/install-driver.test.ts',
    ],
  ],
  'docs/how-to/run-the-server.md': [
    ['svc serve --ip-addr 10.0.0.5', 'runs until it is stopped; tests/black-box/operation/tutorial.test.ts'],
    [
      'curl -N -H "Authorization: $TOKEN" \'http://127.0.0.1:8090/api/op/logs/tail?level=info\'',
      'follows the log until it is stopped; tests/black-box/operation/logs.test.ts',
    ],
    ['svc doctor --accept-loss', 'needs a log that is lost; tests/faults/machine/damage.test.ts'],
    ['svc doctor --repair', 'needs the data of an older release'],
  ],
  'docs/how-to/simulate-noise.md': [
    [
      'svc driver start --operation process --device aer_sim -o noise=/etc/svc-driver/noise.yml …',
      '… stands for the address and the token of your server',
    ],
  ],
  'docs/how-to/upgrade.md': [
    [
      'sha256sum -c SHA256SUMS                      # the new executable is complete',
      'needs root and systemd; tests/interop/previous-release.test.ts',
    ],
    [
      'sqlite3 svc_data/svc.db "UPDATE quantum_jobs SET finished_at = updated WHERE id = \'ID\'"                  # ended, without finished_at',
      'needs rows that break a rule; tests/db/schema/migrate.test.ts',
    ],
    ['systemctl stop svc', 'needs root and systemd; tests/black-box/operation/restart.test.ts'],
  ],
  'docs/how-to/use-qiskit-pennylane-cirq.md': [
    [
      'npm ci && npm run clients && pip install clients/python/dist/*.whl qiskit   # in a checkout; or pennylane, cirq-core, or several',
      'installs packages; tests/clients/python/adapters.test.ts installs the same',
    ],
  ],
  'docs/how-to/use-the-command-line.md': [
    [
      'svc login https://svc.lab.example',
      'asks for a password at a terminal; tests/clients/command-line/commands.test.ts',
    ],
  ],
  'docs/how-to/use-the-go-client.md': [
    [
      'svc login https://svc.lab.example',
      'asks for a password at a terminal; tests/clients/command-line/commands.test.ts',
    ],
  ],
  'docs/how-to/use-the-javascript-client.md': [
    [
      'svc login https://svc.lab.example',
      'asks for a password at a terminal; tests/clients/command-line/commands.test.ts',
    ],
  ],
  'docs/how-to/use-the-python-client.md': [
    ['python -m svc_client login https://svc.lab.example', 'asks for a password at a terminal'],
  ],
  'docs/how-to/webhooks.md': [
    [
      'curl -X POST https://svc.example.org/api/webhooks -H "X-API-Token: $TOKEN" -H \'Content-Type: application/json\' \\',
      'needs a receiver with a public address; tests/black-box/network/webhooks.test.ts',
    ],
  ],
  'docs/how-to/write-a-device.md': [
    [
      'svc driver start --operation process --device ./device.ts#coin -o bias=0.3 …',
      '… stands for the address and the token of your server; tests/devices/example.test.ts',
    ],
  ],
  'docs/tutorials/first-job.md': [['npm ci && npm run build', 'builds this checkout, as the tests do']],
  'docs/tutorials/from-a-notebook.md': [
    [
      'npm ci && npm run clients && pip install clients/python/dist/*.whl qiskit jupyterlab',
      'installs packages and asks for a password',
    ],
  ],
}
