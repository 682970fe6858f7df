-- after migration 21
CREATE TABLE "api_tokens" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "name" TEXT NOT NULL DEFAULT '',
  "token" TEXT NOT NULL DEFAULT '',
  "user" TEXT NOT NULL REFERENCES "users" ("id") ON DELETE RESTRICT,
  "expires_at" TEXT NOT NULL DEFAULT '',
  "scope" TEXT NOT NULL DEFAULT 'all' CHECK ("scope" IN ('read', 'submit', 'all', 'operate', 'session')),
  "cluster" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX "api_tokens_token_unique" ON "api_tokens" ("token");
CREATE INDEX "api_tokens_user" ON "api_tokens" ("user");
CREATE TABLE "audit_log" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "at" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "act" TEXT NOT NULL,
  "subject" TEXT NOT NULL,
  "detail" TEXT NOT NULL DEFAULT '',
  "hash" TEXT NOT NULL,
  "previous_hash" TEXT NOT NULL,
  "personal" TEXT NOT NULL DEFAULT '',
  "personal_hash" TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX "audit_log_actor" ON "audit_log" ("actor") WHERE personal <> '';
CREATE INDEX "audit_log_subject" ON "audit_log" ("subject") WHERE personal <> '';
CREATE TABLE "calendar_feeds" (
  "user" TEXT NOT NULL PRIMARY KEY,
  "hash" TEXT NOT NULL,
  "qpu" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX "calendar_feeds_hash_unique" ON "calendar_feeds" ("hash");
CREATE TABLE "calibration_bounds" (
  "qpu" TEXT NOT NULL,
  "element" TEXT NOT NULL,
  "parameter" TEXT NOT NULL,
  "at" TEXT NOT NULL,
  "report" TEXT NOT NULL,
  "error" REAL,
  PRIMARY KEY (qpu, element, parameter, at, report)
) STRICT, WITHOUT ROWID;
CREATE INDEX "calibration_bounds_qpu_parameter" ON "calibration_bounds" ("qpu", "parameter");
CREATE INDEX "calibration_bounds_report" ON "calibration_bounds" ("report");
CREATE TABLE "calibration_latest" (
  "qpu" TEXT NOT NULL,
  "element" TEXT NOT NULL,
  "parameter" TEXT NOT NULL,
  "at" TEXT NOT NULL,
  "report" TEXT NOT NULL,
  "value" REAL NOT NULL,
  "error" REAL,
  "unit" TEXT NOT NULL,
  "routine" TEXT NOT NULL,
  PRIMARY KEY (qpu, element, parameter)
) STRICT, WITHOUT ROWID;
CREATE INDEX "calibration_latest_qpu_parameter" ON "calibration_latest" ("qpu", "parameter");
CREATE TABLE "calibration_medians" (
  "qpu" TEXT NOT NULL,
  "at" TEXT NOT NULL,
  "report" TEXT NOT NULL,
  "parameter" TEXT NOT NULL,
  "value" REAL NOT NULL,
  "unit" TEXT NOT NULL,
  "count" INTEGER NOT NULL,
  PRIMARY KEY (qpu, at, report, parameter)
) STRICT, WITHOUT ROWID;
CREATE INDEX "calibration_medians_report" ON "calibration_medians" ("report");
CREATE TABLE "calibration_requests" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "driver" TEXT NOT NULL REFERENCES "drivers" ("id") ON DELETE RESTRICT,
  "mode" TEXT NOT NULL CHECK ("mode" IN ('fidelity_check', 'partial', 'full')),
  "status" TEXT NOT NULL DEFAULT 'pending' CHECK ("status" IN ('pending', 'running', 'done', 'failed')),
  "progress" TEXT,
  "target_qubits" TEXT,
  "requested_by" TEXT NOT NULL DEFAULT '',
  "error" TEXT NOT NULL DEFAULT '',
  "started_at" TEXT NOT NULL DEFAULT '',
  "finished_at" TEXT NOT NULL DEFAULT '',
  "result" TEXT NOT NULL DEFAULT '',
  "resumes" TEXT NOT NULL DEFAULT '',
  "run_id" TEXT NOT NULL DEFAULT '',
  "epoch" INTEGER NOT NULL DEFAULT 0,
  "waits" INTEGER NOT NULL DEFAULT 0 CHECK ("waits" IN (0, 1)),
  "confirmed" INTEGER NOT NULL DEFAULT 0 CHECK ("confirmed" IN (0, 1)),
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE INDEX "calibration_requests_driver_status" ON "calibration_requests" ("driver", "status");
CREATE UNIQUE INDEX "calibration_requests_driver_unique" ON "calibration_requests" ("driver") WHERE status = 'running';
CREATE INDEX "calibration_requests_result" ON "calibration_requests" ("result");
CREATE INDEX "calibration_requests_resumes" ON "calibration_requests" ("resumes");
CREATE UNIQUE INDEX "calibration_requests_run_id_unique" ON "calibration_requests" ("run_id") WHERE "run_id" <> '';
CREATE INDEX "calibration_requests_status_finished_at" ON "calibration_requests" ("status", "finished_at");
CREATE TABLE "calibration_results" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "driver" TEXT NOT NULL DEFAULT '',
  "qpu" TEXT NOT NULL DEFAULT '',
  "request" TEXT NOT NULL DEFAULT '',
  "mode" TEXT NOT NULL DEFAULT '' CHECK ("mode" IN ('', 'fidelity_check', 'partial', 'full')),
  "status" TEXT NOT NULL DEFAULT '' CHECK ("status" IN ('', 'success', 'partial_failure', 'failed', 'aborted')),
  "routines" TEXT,
  "benchmarks" TEXT,
  "skipped" TEXT,
  "notes" TEXT,
  "backend" TEXT NOT NULL DEFAULT '',
  "device_file" TEXT,
  "error" TEXT NOT NULL DEFAULT '',
  "started_at" TEXT NOT NULL DEFAULT '',
  "finished_at" TEXT NOT NULL DEFAULT '',
  "traces_stripped" INTEGER NOT NULL DEFAULT 0 CHECK ("traces_stripped" IN (0, 1)),
  "values_stored_at" TEXT NOT NULL DEFAULT '',
  "run_id" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE INDEX "calibration_results_driver" ON "calibration_results" ("driver");
CREATE INDEX "calibration_results_finished_at" ON "calibration_results" ("finished_at");
CREATE INDEX "calibration_results_qpu" ON "calibration_results" ("qpu");
CREATE INDEX "calibration_results_qpu_finished_at" ON "calibration_results" ("qpu", "finished_at") WHERE status = 'success' OR status = 'partial_failure';
CREATE UNIQUE INDEX "calibration_results_run_id_unique" ON "calibration_results" ("run_id") WHERE "run_id" <> '';
CREATE INDEX "calibration_results_seq" ON "calibration_results" ("seq") WHERE values_stored_at = '';
CREATE INDEX "calibration_results_traces_stripped_finished_at" ON "calibration_results" ("traces_stripped", "finished_at");
CREATE TABLE "calibration_results_large" (
  "record" TEXT NOT NULL REFERENCES "calibration_results" ("id") ON DELETE CASCADE,
  "field" TEXT NOT NULL,
  "body" TEXT NOT NULL,
  PRIMARY KEY ("record", "field")
) STRICT;
CREATE TABLE "calibration_values" (
  "qpu" TEXT NOT NULL,
  "element" TEXT NOT NULL,
  "parameter" TEXT NOT NULL,
  "at" TEXT NOT NULL,
  "report" TEXT NOT NULL,
  "value" REAL NOT NULL,
  "error" REAL,
  "unit" TEXT NOT NULL,
  "routine" TEXT NOT NULL,
  PRIMARY KEY (qpu, element, parameter, at, report)
) STRICT, WITHOUT ROWID;
CREATE INDEX "calibration_values_report" ON "calibration_values" ("report");
CREATE TABLE "cluster_accounts" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "cluster" TEXT NOT NULL DEFAULT '',
  "uid" INTEGER NOT NULL DEFAULT 0,
  "user" TEXT NOT NULL REFERENCES "users" ("id") ON DELETE RESTRICT,
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX "cluster_accounts_cluster_uid_unique" ON "cluster_accounts" ("cluster", "uid");
CREATE INDEX "cluster_accounts_user" ON "cluster_accounts" ("user");
CREATE TABLE "drivers" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "name" TEXT NOT NULL DEFAULT '',
  "qpu" TEXT NOT NULL REFERENCES "qpus" ("id") ON DELETE RESTRICT,
  "operation" TEXT NOT NULL CHECK ("operation" IN ('process', 'monitor', 'calibrate')),
  "device" TEXT NOT NULL DEFAULT '',
  "token" TEXT NOT NULL DEFAULT '',
  "status" TEXT NOT NULL DEFAULT 'offline' CHECK ("status" IN ('offline', 'online')),
  "enabled" INTEGER NOT NULL DEFAULT 1 CHECK ("enabled" IN (0, 1)),
  "command_port" INTEGER NOT NULL DEFAULT 0,
  "result_port" INTEGER NOT NULL DEFAULT 0,
  "host" TEXT NOT NULL DEFAULT '',
  "version" TEXT NOT NULL DEFAULT '',
  "last_seen" TEXT NOT NULL DEFAULT '',
  "leased" INTEGER NOT NULL DEFAULT 0 CHECK ("leased" IN (0, 1)),
  "stages" TEXT,
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE INDEX "drivers_qpu_operation" ON "drivers" ("qpu", "operation");
CREATE UNIQUE INDEX "drivers_token_unique" ON "drivers" ("token");
CREATE TABLE "events" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "source" TEXT NOT NULL DEFAULT '',
  "driver" TEXT NOT NULL DEFAULT '',
  "qpu" TEXT NOT NULL DEFAULT '',
  "type" TEXT NOT NULL DEFAULT '',
  "payload" TEXT,
  "ts" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE INDEX "events_created" ON "events" ("created");
CREATE INDEX "events_driver_ts" ON "events" ("driver", "ts");
CREATE INDEX "events_qpu_ts" ON "events" ("qpu", "ts");
CREATE INDEX "events_ts" ON "events" ("ts");
CREATE INDEX "events_type_ts" ON "events" ("type", "ts");
CREATE TABLE "external_auths" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "recordRef" TEXT NOT NULL REFERENCES "users" ("id") ON DELETE RESTRICT,
  "provider" TEXT NOT NULL DEFAULT '',
  "providerId" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX "external_auths_provider_providerId_unique" ON "external_auths" ("provider", "providerId");
CREATE INDEX "external_auths_recordRef" ON "external_auths" ("recordRef");
CREATE TABLE "idempotency_keys" (
  "user" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "route" TEXT NOT NULL,
  "body_hash" TEXT NOT NULL,
  "status" INTEGER NOT NULL,
  "response" TEXT NOT NULL,
  "at" TEXT NOT NULL,
  PRIMARY KEY (user, key)
) STRICT;
CREATE INDEX "idempotency_keys_at" ON "idempotency_keys" ("at");
CREATE TABLE "job_attempts" (
  "job" TEXT NOT NULL,
  "attempt" INTEGER NOT NULL,
  "driver" TEXT NOT NULL,
  "qpu" TEXT NOT NULL,
  "epoch" INTEGER NOT NULL,
  "state" TEXT NOT NULL CHECK (state IN ('ok', 'error', 'lost', 'undelivered', 'requeued')),
  "claimed_at" TEXT NOT NULL,
  "started_at" TEXT NOT NULL,
  "ended_at" TEXT NOT NULL,
  "provenance" INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (job, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX "job_attempts_provenance" ON "job_attempts" ("provenance") WHERE provenance > 0;
CREATE INDEX "job_attempts_qpu_ended_at" ON "job_attempts" ("qpu", "ended_at");
CREATE INDEX "job_attempts_qpu_ended_at_state" ON "job_attempts" ("qpu", "ended_at", "state") WHERE state IN ('error', 'lost');
CREATE TABLE "job_deadlines" (
  "job_seq" INTEGER NOT NULL REFERENCES quantum_jobs (seq) ON DELETE CASCADE,
  "at" TEXT NOT NULL,
  PRIMARY KEY (job_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX "job_deadlines_at" ON "job_deadlines" ("at");
CREATE TABLE "job_provenance" (
  "id" INTEGER PRIMARY KEY,
  "hash" TEXT NOT NULL,
  "report" TEXT NOT NULL,
  "report_after" TEXT NOT NULL,
  "body" TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX "job_provenance_hash_unique" ON "job_provenance" ("hash");
CREATE INDEX "job_provenance_report" ON "job_provenance" ("report");
CREATE INDEX "job_provenance_report_after" ON "job_provenance" ("report_after");
CREATE TABLE "known_addresses" (
  "account" TEXT NOT NULL,
  "use" TEXT NOT NULL,
  "address" TEXT NOT NULL,
  "at" TEXT NOT NULL,
  PRIMARY KEY (account, use, address)
) STRICT, WITHOUT ROWID;
CREATE TABLE "leases" (
  "qpu" TEXT NOT NULL,
  "operation" TEXT NOT NULL CHECK (operation IN ('process', 'monitor', 'calibrate')),
  "driver" TEXT NOT NULL DEFAULT '',
  "epoch" INTEGER NOT NULL DEFAULT 0,
  "state" TEXT NOT NULL DEFAULT 'granted' CHECK (state IN ('granted', 'attached')),
  "granted_at" TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (qpu, operation)
) STRICT;
CREATE UNIQUE INDEX "leases_driver_unique" ON "leases" ("driver") WHERE driver <> '';
CREATE TABLE "mail_digests" (
  "user" TEXT NOT NULL PRIMARY KEY,
  "next_at" INTEGER NOT NULL,
  "upto" INTEGER NOT NULL DEFAULT 0,
  "failures" INTEGER NOT NULL DEFAULT 0,
  "dropped" INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX "mail_digests_next_at" ON "mail_digests" ("next_at");
CREATE TABLE "mail_items" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "user" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "detail" TEXT NOT NULL,
  "at" TEXT NOT NULL
) STRICT;
CREATE INDEX "mail_items_user" ON "mail_items" ("user");
CREATE TABLE "maintenance_times" (
  "qpu" TEXT NOT NULL,
  "began" TEXT NOT NULL,
  "ended" TEXT NOT NULL DEFAULT '',
  "kind" TEXT NOT NULL DEFAULT 'maintenance',
  "reason" TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (qpu, began)
) STRICT, WITHOUT ROWID;
CREATE INDEX "maintenance_times_ended" ON "maintenance_times" ("ended");
CREATE TABLE "meta" (
  "key" TEXT NOT NULL PRIMARY KEY,
  "value" TEXT NOT NULL
) STRICT;
CREATE TABLE "migrations" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" TEXT NOT NULL,
  "hash" TEXT NOT NULL,
  "at" TEXT NOT NULL
) STRICT;
CREATE TABLE "notes" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "at" TEXT NOT NULL DEFAULT '',
  "text" TEXT NOT NULL DEFAULT '',
  "qpu" TEXT NOT NULL DEFAULT '',
  "author" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE INDEX "notes_at" ON "notes" ("at");
CREATE INDEX "notes_qpu" ON "notes" ("qpu");
CREATE TABLE "notifications" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "title" TEXT NOT NULL DEFAULT '',
  "description" TEXT NOT NULL DEFAULT '',
  "target_users" TEXT NOT NULL DEFAULT '[]',
  "dismissed_by" TEXT NOT NULL DEFAULT '[]',
  "start_time" TEXT NOT NULL DEFAULT '',
  "end_time" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE TABLE "partial_results" (
  "job_seq" INTEGER NOT NULL REFERENCES quantum_jobs (seq) ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  "place" INTEGER NOT NULL,
  "bytes" INTEGER NOT NULL,
  "body" TEXT NOT NULL,
  PRIMARY KEY (job_seq, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE "qpu_calibrations" (
  "qpu" TEXT NOT NULL PRIMARY KEY,
  "report" TEXT NOT NULL,
  "at" TEXT NOT NULL,
  "medians" TEXT NOT NULL
) STRICT;
CREATE TABLE "qpu_descriptions" (
  "qpu" TEXT NOT NULL PRIMARY KEY,
  "driver" TEXT NOT NULL DEFAULT '',
  "epoch" INTEGER NOT NULL DEFAULT 0,
  "described_at" TEXT NOT NULL DEFAULT '',
  "described" TEXT NOT NULL DEFAULT '',
  "calibrated_at" TEXT NOT NULL DEFAULT '',
  "fidelities" TEXT NOT NULL DEFAULT '',
  "completed" TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE "qpu_ledger" (
  "user" TEXT NOT NULL,
  "kind" TEXT NOT NULL CHECK (kind IN ('charge', 'grant', 'admin', 'opening', 'refund', 'session')),
  "source_id" TEXT NOT NULL,
  "delta_ms" INTEGER NOT NULL,
  "at" TEXT NOT NULL,
  "qpu" TEXT NOT NULL DEFAULT '',
  "used_ms" INTEGER NOT NULL DEFAULT 0,
  UNIQUE (kind, source_id)
) STRICT;
CREATE INDEX "qpu_ledger_user" ON "qpu_ledger" ("user");
CREATE INDEX "qpu_ledger_user_qpu_at" ON "qpu_ledger" ("user", "qpu", "at") WHERE kind = 'session';
CREATE TABLE "qpu_time_requests" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "user" TEXT NOT NULL REFERENCES "users" ("id") ON DELETE RESTRICT,
  "seconds" REAL NOT NULL DEFAULT 0,
  "granted_seconds" REAL NOT NULL DEFAULT 0,
  "status" TEXT NOT NULL DEFAULT 'pending' CHECK ("status" IN ('pending', 'approved', 'rejected')),
  "requested_reason" TEXT NOT NULL DEFAULT '',
  "rejection_reason" TEXT NOT NULL DEFAULT '',
  "handled_by" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE INDEX "qpu_time_requests_user_status" ON "qpu_time_requests" ("user", "status");
CREATE TABLE "qpu_usage" (
  "user" TEXT NOT NULL,
  "month" TEXT NOT NULL,
  "qpu" TEXT NOT NULL,
  "jobs" INTEGER NOT NULL,
  "used_ms" INTEGER NOT NULL,
  "charged_ms" INTEGER NOT NULL,
  PRIMARY KEY (user, month, qpu)
) STRICT, WITHOUT ROWID;
CREATE INDEX "qpu_usage_month_user_qpu" ON "qpu_usage" ("month", "user", "qpu");
CREATE TABLE "qpus" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "name" TEXT NOT NULL DEFAULT '',
  "status" TEXT NOT NULL DEFAULT 'offline' CHECK ("status" IN ('offline', 'online')),
  "enabled" INTEGER NOT NULL DEFAULT 1 CHECK ("enabled" IN (0, 1)),
  "num_qubits" INTEGER NOT NULL DEFAULT 1,
  "executor_type" TEXT NOT NULL DEFAULT '',
  "device_config" TEXT,
  "command_port" INTEGER NOT NULL DEFAULT 0,
  "result_port" INTEGER NOT NULL DEFAULT 0,
  "maintenance" INTEGER NOT NULL DEFAULT 0 CHECK ("maintenance" IN (0, 1)),
  "maintenance_reason" TEXT NOT NULL DEFAULT '',
  "maintenance_until" TEXT NOT NULL DEFAULT '',
  "draining" INTEGER NOT NULL DEFAULT 0 CHECK ("draining" IN (0, 1)),
  "drain_reason" TEXT NOT NULL DEFAULT '',
  "closed_since" TEXT NOT NULL DEFAULT '',
  "silent_since" TEXT NOT NULL DEFAULT '',
  "described_at" TEXT NOT NULL DEFAULT '',
  "max_qubits" INTEGER NOT NULL DEFAULT 0,
  "max_shots" INTEGER NOT NULL DEFAULT 0,
  "max_executions" INTEGER NOT NULL DEFAULT 0,
  "missing_features" INTEGER NOT NULL DEFAULT 0,
  "access_token" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX "qpus_name_unique" ON "qpus" ("name");
CREATE TRIGGER "count_delete" BEFORE DELETE ON "quantum_jobs" BEGIN
  INSERT INTO qpu_usage ("user", month, qpu, jobs, used_ms, charged_ms)
   SELECT "user", substr(at, 1, 7), qpu, sum(jobs), sum(used_ms), 0 - sum(delta_ms) FROM (SELECT entry."user", entry.source_id, entry.delta_ms, entry.used_ms, entry.at,
    CASE entry.kind WHEN 'charge' THEN 1 ELSE 0 END AS jobs,
    +entry.qpu AS qpu
  FROM sums_watermark CROSS JOIN "qpu_ledger" entry WHERE entry.rowid > sums_watermark.position AND +entry.kind IN ('charge', 'session')) run
   WHERE true GROUP BY 1, 2, 3
   ON CONFLICT ("user", month, qpu) DO UPDATE SET jobs = qpu_usage.jobs + excluded.jobs,
     used_ms = qpu_usage.used_ms + excluded.used_ms, charged_ms = qpu_usage.charged_ms + excluded.charged_ms;
  INSERT INTO quote_scores (qpu, month, run_ms, run_quoted, run_right, run_width, start_quoted, start_right, start_width)
   SELECT qpu, month, sum(run_ms), sum(run_quoted), sum(run_right), sum(run_width), sum(start_quoted), sum(start_right), sum(start_width)
   FROM (SELECT run.qpu, substr(run.at, 1, 7) AS month, CASE WHEN job.status = 'completed' AND job.quote_basis NOT IN ('', 'assumed') THEN run.used_ms ELSE 0 END AS run_ms,
    CASE WHEN job.status = 'completed' AND job.quote_basis NOT IN ('', 'assumed') THEN 1 ELSE 0 END AS run_quoted, CASE WHEN job.status = 'completed' AND job.quote_basis NOT IN ('', 'assumed') AND run.used_ms BETWEEN job.quote_run_from AND job.quote_run_to THEN 1 ELSE 0 END AS run_right, CASE WHEN job.status = 'completed' AND job.quote_basis NOT IN ('', 'assumed') THEN job.quote_run_to - job.quote_run_from ELSE 0 END AS run_width, CASE WHEN job.status = 'completed' AND job.claimed_at <> '' AND job.attempt = 1 AND job.quote_start_from <> '' THEN 1 ELSE 0 END AS start_quoted, CASE WHEN job.status = 'completed' AND job.claimed_at <> '' AND job.attempt = 1 AND job.quote_start_from <> '' AND job.claimed_at BETWEEN job.quote_start_from AND job.quote_start_to THEN 1 ELSE 0 END AS start_right, CASE WHEN job.status = 'completed' AND job.claimed_at <> '' AND job.attempt = 1 AND job.quote_start_from <> '' THEN CAST(round((julianday(job.quote_start_to) - julianday(job.quote_start_from)) * 86400000) AS INTEGER) ELSE 0 END AS start_width
  FROM (SELECT entry."user", entry.source_id, entry.delta_ms, entry.used_ms, entry.at,
    CASE entry.kind WHEN 'charge' THEN 1 ELSE 0 END AS jobs,
    +entry.qpu AS qpu
  FROM sums_watermark CROSS JOIN "qpu_ledger" entry WHERE entry.rowid > sums_watermark.position AND +entry.kind IN ('charge', 'session')) run CROSS JOIN "quantum_jobs" job WHERE job.id = run.source_id AND job.session = '') score WHERE run_quoted = 1 OR start_quoted = 1 GROUP BY 1, 2
   ON CONFLICT (qpu, month) DO UPDATE SET run_ms = quote_scores.run_ms + excluded.run_ms,
     run_quoted = quote_scores.run_quoted + excluded.run_quoted, run_right = quote_scores.run_right + excluded.run_right, run_width = quote_scores.run_width + excluded.run_width, start_quoted = quote_scores.start_quoted + excluded.start_quoted, start_right = quote_scores.start_right + excluded.start_right, start_width = quote_scores.start_width + excluded.start_width;
  INSERT INTO recent_use (minute, "user", ms)
   SELECT unixepoch(at) / 60, "user", sum(used_ms) FROM (SELECT entry."user", entry.source_id, entry.delta_ms, entry.used_ms, entry.at,
    CASE entry.kind WHEN 'charge' THEN 1 ELSE 0 END AS jobs,
    +entry.qpu AS qpu
  FROM sums_watermark CROSS JOIN "qpu_ledger" entry WHERE entry.rowid > sums_watermark.position AND +entry.kind IN ('charge', 'session')) run
   WHERE true GROUP BY 1, 2
   ON CONFLICT (minute, "user") DO UPDATE SET ms = recent_use.ms + excluded.ms;
  UPDATE sums_watermark SET position = (SELECT coalesce(max(rowid), 0) FROM qpu_ledger) WHERE position < (SELECT coalesce(max(rowid), 0) FROM qpu_ledger);
  UPDATE users SET job_bytes = job_bytes + (0 - (1024 + coalesce(octet_length(OLD."payload"), 0) + coalesce(octet_length(OLD."results"), 0) + (SELECT coalesce(sum(octet_length("body")), 0) FROM "quantum_jobs_large"
       WHERE "record" = OLD."id"))) WHERE id = OLD.user_id;
END;
CREATE TRIGGER "count_insert" AFTER INSERT ON "quantum_jobs" BEGIN
  UPDATE users SET job_bytes = job_bytes + (1024 + coalesce(octet_length(NEW."payload"), 0) + coalesce(octet_length(NEW."results"), 0)) WHERE id = NEW.user_id;
END;
CREATE TRIGGER "count_owner" AFTER UPDATE OF user_id ON "quantum_jobs" WHEN OLD.user_id <> NEW.user_id BEGIN
  UPDATE users SET job_bytes = job_bytes + (0 - (1024 + coalesce(octet_length(OLD."payload"), 0) + coalesce(octet_length(OLD."results"), 0) + (SELECT coalesce(sum(octet_length("body")), 0) FROM "quantum_jobs_large"
       WHERE "record" = OLD."id"))) WHERE id = OLD.user_id;
  UPDATE users SET job_bytes = job_bytes + (1024 + coalesce(octet_length(NEW."payload"), 0) + coalesce(octet_length(NEW."results"), 0) + (SELECT coalesce(sum(octet_length("body")), 0) FROM "quantum_jobs_large"
       WHERE "record" = NEW."id")) WHERE id = NEW.user_id;
END;
CREATE TRIGGER "count_payload" AFTER UPDATE OF "payload" ON "quantum_jobs" WHEN OLD.user_id = NEW.user_id BEGIN
  UPDATE users SET job_bytes = job_bytes + (coalesce(octet_length(NEW."payload"), 0) - coalesce(octet_length(OLD."payload"), 0)) WHERE id = NEW.user_id;
END;
CREATE TRIGGER "count_results" AFTER UPDATE OF "results" ON "quantum_jobs" WHEN OLD.user_id = NEW.user_id BEGIN
  UPDATE users SET job_bytes = job_bytes + (coalesce(octet_length(NEW."results"), 0) - coalesce(octet_length(OLD."results"), 0)) WHERE id = NEW.user_id;
END;
CREATE TRIGGER "quantum_jobs_tags_delete" AFTER DELETE ON "quantum_jobs" WHEN OLD."tags" IS NOT NULL BEGIN
  DELETE FROM "quantum_jobs_tags" WHERE ("user", "entry", "seq") IN
    (SELECT OLD."user_id", "value", OLD."seq" FROM json_each(OLD."tags"));
END;
CREATE TRIGGER "quantum_jobs_tags_insert" AFTER INSERT ON "quantum_jobs" WHEN NEW."tags" IS NOT NULL BEGIN
  INSERT INTO "quantum_jobs_tags" ("user", "entry", "seq")
    SELECT NEW."user_id", "value", NEW."seq" FROM json_each(NEW."tags") WHERE "value" IS NOT NULL
    ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER "quantum_jobs_tags_update" AFTER UPDATE OF "tags", "user_id" ON "quantum_jobs" WHEN OLD."tags" IS NOT NULL OR NEW."tags" IS NOT NULL BEGIN
  DELETE FROM "quantum_jobs_tags" WHERE ("user", "entry", "seq") IN
    (SELECT OLD."user_id", "value", OLD."seq" FROM json_each(OLD."tags"));
  INSERT INTO "quantum_jobs_tags" ("user", "entry", "seq")
    SELECT NEW."user_id", "value", NEW."seq" FROM json_each(NEW."tags") WHERE "value" IS NOT NULL
    ON CONFLICT DO NOTHING;
END;
CREATE TABLE "quantum_jobs" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "user_id" TEXT NOT NULL DEFAULT '',
  "qpu_target" TEXT NOT NULL DEFAULT '',
  "payload" TEXT,
  "status" TEXT NOT NULL DEFAULT 'pending' CHECK ("status" IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
  "finished_at" TEXT NOT NULL DEFAULT '',
  "duration" REAL NOT NULL DEFAULT 0,
  "results" TEXT,
  "driver" TEXT NOT NULL DEFAULT '',
  "started_at" TEXT NOT NULL DEFAULT '',
  "attempt" INTEGER NOT NULL DEFAULT 0,
  "progress" REAL NOT NULL DEFAULT 0,
  "not_before" INTEGER NOT NULL DEFAULT 0,
  "held" INTEGER NOT NULL DEFAULT 0 CHECK ("held" IN (0, 1)),
  "hold_reason" TEXT NOT NULL DEFAULT '',
  "run_next" INTEGER NOT NULL DEFAULT 0,
  "error_code" TEXT NOT NULL DEFAULT '',
  "name" TEXT NOT NULL DEFAULT '',
  "tags" TEXT,
  "qpu" TEXT NOT NULL DEFAULT '',
  "holder" TEXT NOT NULL DEFAULT '',
  "session" TEXT NOT NULL DEFAULT '',
  "qubits" INTEGER NOT NULL DEFAULT 0,
  "shots" INTEGER NOT NULL DEFAULT 0,
  "executions" INTEGER NOT NULL DEFAULT 0,
  "features" INTEGER NOT NULL DEFAULT 0,
  "quote_basis" TEXT NOT NULL DEFAULT '',
  "quote_run_from" INTEGER NOT NULL DEFAULT 0,
  "quote_run_to" INTEGER NOT NULL DEFAULT 0,
  "quote_start_from" TEXT NOT NULL DEFAULT '',
  "quote_start_to" TEXT NOT NULL DEFAULT '',
  "quote_wait_ms" INTEGER NOT NULL DEFAULT 0,
  "max_ms" INTEGER NOT NULL DEFAULT 0,
  "expected_results" TEXT NOT NULL DEFAULT '',
  "program_hash" TEXT NOT NULL DEFAULT '',
  "chip_needs" TEXT NOT NULL DEFAULT '',
  "claimed_at" TEXT NOT NULL DEFAULT '',
  "epoch" INTEGER NOT NULL DEFAULT 0,
  "provenance" INTEGER NOT NULL DEFAULT 0,
  "history" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL,
  CONSTRAINT "quantum_jobs_finished_at" CHECK ((status IN ('completed', 'failed', 'cancelled')) = (finished_at <> '')),
  CONSTRAINT "quantum_jobs_started_at" CHECK (started_at = '' OR status <> 'pending'),
  CONSTRAINT "quantum_jobs_driver" CHECK (driver = '' OR status <> 'pending'),
  CONSTRAINT "quantum_jobs_attempt" CHECK (attempt > 0 OR status <> 'running'),
  CONSTRAINT "quantum_jobs_claim" CHECK (claimed_at = '' OR status IN ('running', 'completed'))
) STRICT;
CREATE INDEX "quantum_jobs_created" ON "quantum_jobs" ("created");
CREATE INDEX "quantum_jobs_finished_at" ON "quantum_jobs" ("finished_at") WHERE status = 'cancelled' AND payload IS NOT NULL;
CREATE INDEX "quantum_jobs_provenance" ON "quantum_jobs" ("provenance") WHERE provenance > 0;
CREATE INDEX "quantum_jobs_qpu_finished_at" ON "quantum_jobs" ("qpu", "finished_at") WHERE status = 'completed' AND claimed_at <> '';
CREATE INDEX "quantum_jobs_run_next" ON "quantum_jobs" ("run_next") WHERE run_next > 0 AND (status = 'pending' AND held = 0);
CREATE INDEX "quantum_jobs_status_holder" ON "quantum_jobs" ("status", "holder") WHERE status = 'pending' AND holder > '';
CREATE UNIQUE INDEX "quantum_jobs_status_qpu_unique" ON "quantum_jobs" ("status", "qpu") WHERE status = 'running';
CREATE INDEX "quantum_jobs_status_seq" ON "quantum_jobs" ("status", "seq") WHERE status = 'failed' OR status = 'cancelled';
CREATE INDEX "quantum_jobs_status_user_id_held_seq_id_qpu_target__e0edac51" ON "quantum_jobs" ("status", "user_id", "held", "seq", "id", "qpu_target", "not_before", "run_next", "qubits", "shots", "executions", "features") WHERE status = 'pending';
CREATE INDEX "quantum_jobs_user_id_created" ON "quantum_jobs" ("user_id", "created");
CREATE INDEX "quantum_jobs_user_id_seq" ON "quantum_jobs" ("user_id", "seq");
CREATE INDEX "quantum_jobs_user_id_status_seq" ON "quantum_jobs" ("user_id", "status", "seq") WHERE status = 'failed' OR status = 'cancelled';
CREATE TRIGGER "count_large_delete" BEFORE DELETE ON "quantum_jobs_large" BEGIN
  UPDATE users SET job_bytes = job_bytes + (0 - (SELECT octet_length("body") FROM "quantum_jobs_large" WHERE "record" = OLD."record" AND "field" = OLD."field")) WHERE id = (SELECT user_id FROM quantum_jobs job WHERE job.id = OLD."record");
END;
CREATE TRIGGER "count_large_insert" AFTER INSERT ON "quantum_jobs_large" BEGIN
  UPDATE users SET job_bytes = job_bytes + (octet_length(NEW."body")) WHERE id = (SELECT user_id FROM quantum_jobs job WHERE job.id = NEW."record");
END;
CREATE TRIGGER "count_large_update" AFTER UPDATE OF "body" ON "quantum_jobs_large" BEGIN
  UPDATE users SET job_bytes = job_bytes + (octet_length(NEW."body") - octet_length(OLD."body")) WHERE id = (SELECT user_id FROM quantum_jobs job WHERE job.id = NEW."record");
END;
CREATE TABLE "quantum_jobs_large" (
  "record" TEXT NOT NULL REFERENCES "quantum_jobs" ("id") ON DELETE CASCADE,
  "field" TEXT NOT NULL,
  "body" TEXT NOT NULL,
  PRIMARY KEY ("record", "field")
) STRICT;
CREATE TABLE "quantum_jobs_tags" (
  "user" TEXT NOT NULL,
  "entry" TEXT NOT NULL,
  "seq" INTEGER NOT NULL,
  PRIMARY KEY ("user", "entry", "seq")
) STRICT, WITHOUT ROWID;
CREATE TABLE "quote_scores" (
  "qpu" TEXT NOT NULL,
  "month" TEXT NOT NULL,
  "run_ms" INTEGER NOT NULL,
  "run_quoted" INTEGER NOT NULL,
  "run_right" INTEGER NOT NULL,
  "run_width" INTEGER NOT NULL,
  "start_quoted" INTEGER NOT NULL,
  "start_right" INTEGER NOT NULL,
  "start_width" INTEGER NOT NULL,
  PRIMARY KEY (qpu, month)
) STRICT, WITHOUT ROWID;
CREATE TABLE "reading_buckets" (
  "driver" TEXT NOT NULL,
  "step" INTEGER NOT NULL,
  "start" INTEGER NOT NULL,
  "series" INTEGER NOT NULL,
  "low" REAL NOT NULL,
  "high" REAL NOT NULL,
  "total" REAL NOT NULL,
  "readings" INTEGER NOT NULL,
  PRIMARY KEY (driver, step, start, series)
) STRICT, WITHOUT ROWID;
CREATE TABLE "reading_series" (
  "id" INTEGER PRIMARY KEY AUTOINCREMENT,
  "driver" TEXT NOT NULL,
  "channel" TEXT NOT NULL,
  "unit" TEXT NOT NULL,
  "last" INTEGER NOT NULL,
  "newest" REAL,
  UNIQUE (driver, channel, unit)
) STRICT;
CREATE TABLE "recall_notices" (
  "recall" TEXT NOT NULL,
  "user" TEXT NOT NULL,
  "undone" INTEGER NOT NULL,
  PRIMARY KEY (recall, user, undone)
) STRICT, WITHOUT ROWID;
CREATE TABLE "recalled_jobs" (
  "recall" TEXT NOT NULL,
  "job" TEXT NOT NULL,
  "user" TEXT NOT NULL,
  "finished_at" TEXT NOT NULL,
  PRIMARY KEY (recall, job)
) STRICT, WITHOUT ROWID;
CREATE TABLE "recalls" (
  "id" TEXT NOT NULL PRIMARY KEY,
  "qpu" TEXT NOT NULL,
  "report" TEXT NOT NULL,
  "from_at" TEXT NOT NULL,
  "to_at" TEXT NOT NULL,
  "reason" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "created" TEXT NOT NULL,
  "undone_by" TEXT NOT NULL,
  "undone_at" TEXT NOT NULL,
  "undo_reason" TEXT NOT NULL,
  "settled" INTEGER NOT NULL CHECK (settled IN (0, 1)),
  "cursor_at" TEXT NOT NULL,
  "cursor_job" TEXT NOT NULL
) STRICT;
CREATE INDEX "recalls_qpu" ON "recalls" ("qpu") WHERE undone_at = '';
CREATE INDEX "recalls_report" ON "recalls" ("report") WHERE report <> '';
CREATE INDEX "recalls_settled" ON "recalls" ("settled") WHERE settled = 0;
CREATE TABLE "recent_use" (
  "minute" INTEGER NOT NULL,
  "user" TEXT NOT NULL,
  "ms" INTEGER NOT NULL,
  PRIMARY KEY (minute, user)
) STRICT, WITHOUT ROWID;
CREATE TABLE "removed_users" (
  "id" TEXT NOT NULL PRIMARY KEY,
  "at" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "state" TEXT NOT NULL CHECK (state IN ('begun', 'done'))
) STRICT;
CREATE TABLE "session_holders" (
  "id" TEXT NOT NULL PRIMARY KEY,
  "session" TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  "user" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "body_hash" TEXT NOT NULL,
  "ends_at" TEXT NOT NULL,
  "ended_at" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "revoked" INTEGER NOT NULL DEFAULT 0,
  "awaited_until" TEXT NOT NULL DEFAULT '',
  "leaving" INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX "session_holders_leaving" ON "session_holders" ("leaving") WHERE leaving = 1;
CREATE INDEX "session_holders_session_ended_at_id" ON "session_holders" ("session", "ended_at", "id");
CREATE UNIQUE INDEX "session_holders_user_key_unique" ON "session_holders" ("user", "key") WHERE key <> '';
CREATE TABLE "sessions" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "qpu" TEXT NOT NULL REFERENCES "qpus" ("id") ON DELETE RESTRICT,
  "user" TEXT NOT NULL REFERENCES "users" ("id") ON DELETE RESTRICT,
  "mode" TEXT NOT NULL DEFAULT 'exclusive' CHECK ("mode" IN ('exclusive', 'batch')),
  "state" TEXT NOT NULL DEFAULT 'queued' CHECK ("state" IN ('queued', 'active', 'paused', 'closed')),
  "seconds" INTEGER NOT NULL DEFAULT 0,
  "idle_seconds" INTEGER NOT NULL DEFAULT 0,
  "activated_at" TEXT NOT NULL DEFAULT '',
  "ends_at" TEXT NOT NULL DEFAULT '',
  "paused_by" TEXT NOT NULL DEFAULT '' CHECK ("paused_by" IN ('', 'idle', 'disabled', 'maintenance', 'draining', 'offline', 'calibrating')),
  "stopped_at" TEXT NOT NULL DEFAULT '',
  "end" TEXT NOT NULL DEFAULT '' CHECK ("end" IN ('', 'expired', 'ended', 'booking', 'balance')),
  "end_reason" TEXT NOT NULL DEFAULT '',
  "held_ms" INTEGER NOT NULL DEFAULT 0,
  "rank" INTEGER NOT NULL DEFAULT 0,
  "holders_end" TEXT NOT NULL DEFAULT '',
  "active_since" TEXT NOT NULL DEFAULT '',
  "charged_to" TEXT NOT NULL DEFAULT '',
  "charges" INTEGER NOT NULL DEFAULT 0,
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE INDEX "sessions_qpu" ON "sessions" ("qpu");
CREATE UNIQUE INDEX "sessions_qpu_unique" ON "sessions" ("qpu") WHERE state = 'active';
CREATE INDEX "sessions_state_stopped_at" ON "sessions" ("state", "stopped_at");
CREATE INDEX "sessions_user" ON "sessions" ("user");
CREATE UNIQUE INDEX "sessions_user_qpu_unique" ON "sessions" ("user", "qpu") WHERE state <> 'closed';
CREATE TABLE "shares" (
  "id" TEXT NOT NULL PRIMARY KEY,
  "hash" TEXT NOT NULL,
  "kind" TEXT NOT NULL CHECK (kind IN ('job', 'report')),
  "record" TEXT NOT NULL,
  "user" TEXT NOT NULL,
  "expires_at" TEXT NOT NULL,
  "created" TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX "shares_hash_unique" ON "shares" ("hash");
CREATE INDEX "shares_record" ON "shares" ("record");
CREATE INDEX "shares_user" ON "shares" ("user");
CREATE TABLE "sums_watermark" (
  "id" INTEGER PRIMARY KEY CHECK (id = 1),
  "position" INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE "superusers" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "email" TEXT NOT NULL DEFAULT '',
  "emailVisibility" INTEGER NOT NULL DEFAULT 0 CHECK ("emailVisibility" IN (0, 1)),
  "verified" INTEGER NOT NULL DEFAULT 0 CHECK ("verified" IN (0, 1)),
  "password" TEXT NOT NULL DEFAULT '',
  "tokenKey" TEXT NOT NULL DEFAULT '',
  "mail_alerts" INTEGER NOT NULL DEFAULT 0 CHECK ("mail_alerts" IN (0, 1)),
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX "superusers_email_unique" ON "superusers" ("email");
CREATE TABLE "thresholds" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "name" TEXT NOT NULL DEFAULT '',
  "driver" TEXT NOT NULL REFERENCES "drivers" ("id") ON DELETE RESTRICT,
  "channel" TEXT NOT NULL DEFAULT '',
  "unit" TEXT NOT NULL DEFAULT '',
  "kind" TEXT NOT NULL DEFAULT 'above' CHECK ("kind" IN ('above', 'below', 'stale')),
  "limit" REAL NOT NULL DEFAULT 0,
  "for_seconds" INTEGER NOT NULL DEFAULT 0,
  "enabled" INTEGER NOT NULL DEFAULT 1 CHECK ("enabled" IN (0, 1)),
  "notify" TEXT NOT NULL DEFAULT '[]',
  "since" TEXT NOT NULL DEFAULT '',
  "breached_at" TEXT NOT NULL DEFAULT '',
  "notification" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE INDEX "thresholds_driver" ON "thresholds" ("driver");
CREATE INDEX "thresholds_driver_channel" ON "thresholds" ("driver", "channel") WHERE enabled = 1;
CREATE TABLE "time_slots" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "start_time" TEXT NOT NULL DEFAULT '',
  "end_time" TEXT NOT NULL DEFAULT '',
  "booked_by" TEXT NOT NULL REFERENCES "users" ("id") ON DELETE RESTRICT,
  "qpu" TEXT NOT NULL DEFAULT '',
  "series" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE INDEX "time_slots_booked_by_start_time" ON "time_slots" ("booked_by", "start_time");
CREATE INDEX "time_slots_end_time" ON "time_slots" ("end_time");
CREATE INDEX "time_slots_end_time_start_time" ON "time_slots" ("end_time", "start_time") WHERE substr(end_time, 1, 10) > substr(start_time, 1, 10);
CREATE INDEX "time_slots_qpu_start_time" ON "time_slots" ("qpu", "start_time");
CREATE INDEX "time_slots_series_start_time" ON "time_slots" ("series", "start_time") WHERE series <> '';
CREATE INDEX "time_slots_start_time" ON "time_slots" ("start_time");
CREATE TABLE "tuner_runs" (
  "driver" TEXT NOT NULL PRIMARY KEY,
  "run_id" TEXT NOT NULL,
  "started_at" TEXT NOT NULL,
  "waits" INTEGER NOT NULL DEFAULT 0,
  "defers_until" TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE "unfit_jobs" (
  "qpu" TEXT NOT NULL,
  "job_seq" INTEGER NOT NULL REFERENCES quantum_jobs (seq) ON DELETE CASCADE,
  "reason" TEXT NOT NULL,
  "code" TEXT NOT NULL DEFAULT 'not_calibrated',
  PRIMARY KEY (qpu, job_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX "unfit_jobs_job_seq" ON "unfit_jobs" ("job_seq");
CREATE TRIGGER "count_user" AFTER INSERT ON "users" BEGIN
  UPDATE users SET job_bytes = owned.bytes FROM
           (SELECT sum(1024 + coalesce(octet_length(job."payload"), 0) + coalesce(octet_length(job."results"), 0) + (SELECT coalesce(sum(octet_length("body")), 0) FROM "quantum_jobs_large"
       WHERE "record" = job."id")) AS bytes FROM quantum_jobs job WHERE job.user_id = NEW.id) owned
         WHERE users.id = NEW.id AND owned.bytes > 0;
END;
CREATE TABLE "users" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "email" TEXT NOT NULL DEFAULT '',
  "emailVisibility" INTEGER NOT NULL DEFAULT 0 CHECK ("emailVisibility" IN (0, 1)),
  "verified" INTEGER NOT NULL DEFAULT 0 CHECK ("verified" IN (0, 1)),
  "password" TEXT NOT NULL DEFAULT '',
  "tokenKey" TEXT NOT NULL DEFAULT '',
  "username" TEXT NOT NULL DEFAULT '',
  "qpu_ms" INTEGER NOT NULL DEFAULT 0,
  "api_tokens" TEXT NOT NULL DEFAULT '[]',
  "disabled" INTEGER NOT NULL DEFAULT 0 CHECK ("disabled" IN (0, 1)),
  "max_bytes" INTEGER NOT NULL DEFAULT 0,
  "mail_job_after" INTEGER NOT NULL DEFAULT 0,
  "mail_slot_start" INTEGER NOT NULL DEFAULT 0 CHECK ("mail_slot_start" IN (0, 1)),
  "mail_time_request" INTEGER NOT NULL DEFAULT 0 CHECK ("mail_time_request" IN (0, 1)),
  "unlimited" INTEGER NOT NULL DEFAULT 0 CHECK ("unlimited" IN (0, 1)),
  "job_bytes" INTEGER NOT NULL DEFAULT 0,
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX "users_email_unique" ON "users" ("email") WHERE "email" <> '';
CREATE UNIQUE INDEX "users_username_unique" ON "users" ("username") WHERE "username" <> '';
CREATE TABLE "webhook_deliveries" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "webhook" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "body" TEXT NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  "at" TEXT NOT NULL,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "next_at" INTEGER NOT NULL,
  "attempted_at" TEXT NOT NULL DEFAULT '',
  "status" INTEGER NOT NULL DEFAULT 0,
  "error" TEXT NOT NULL DEFAULT '',
  "duration_ms" INTEGER NOT NULL DEFAULT 0,
  "response" TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX "webhook_deliveries_webhook" ON "webhook_deliveries" ("webhook");
CREATE INDEX "webhook_deliveries_webhook_next_at" ON "webhook_deliveries" ("webhook", "next_at") WHERE state = 'pending';
CREATE TABLE "webhooks" (
  "seq" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL UNIQUE,
  "user" TEXT NOT NULL REFERENCES "users" ("id") ON DELETE RESTRICT,
  "url" TEXT NOT NULL DEFAULT '',
  "description" TEXT NOT NULL DEFAULT '',
  "kinds" TEXT,
  "for_operators" INTEGER NOT NULL DEFAULT 0 CHECK ("for_operators" IN (0, 1)),
  "enabled" INTEGER NOT NULL DEFAULT 1 CHECK ("enabled" IN (0, 1)),
  "disabled_reason" TEXT NOT NULL DEFAULT '',
  "secret" TEXT NOT NULL DEFAULT '',
  "previous_secret" TEXT NOT NULL DEFAULT '',
  "previous_until" TEXT NOT NULL DEFAULT '',
  "failures" INTEGER NOT NULL DEFAULT 0,
  "failing_since" TEXT NOT NULL DEFAULT '',
  "dropped" INTEGER NOT NULL DEFAULT 0,
  "next_at" INTEGER NOT NULL DEFAULT 0,
  "strained" INTEGER NOT NULL DEFAULT 0 CHECK ("strained" IN (0, 1)),
  "created" TEXT NOT NULL,
  "updated" TEXT NOT NULL
) STRICT;
CREATE INDEX "webhooks_for_operators" ON "webhooks" ("for_operators") WHERE for_operators = 1 AND enabled = 1;
CREATE INDEX "webhooks_strained_next_at" ON "webhooks" ("strained", "next_at") WHERE next_at > 0;
CREATE INDEX "webhooks_user" ON "webhooks" ("user");
