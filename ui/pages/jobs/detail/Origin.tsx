import type { Calibration, Job, Provenance } from '../../../api/model/jobs.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Fact } from '../../../parts/table/Fact.tsx'

/** What the last attempt that says so ran with; nothing where none does. */
export function Origin({ job: { attempts } }: { job: Job }) {
  const known = attempts.findLast(({ provenance }) => provenance)?.provenance
  if (!known) return null
  const { device, driver, compiler, noise_file: noise, calibration } = known
  return (
    <details class="history">
      <summary>Provenance</summary>
      <dl class="facts">
        {device && <Fact name="Device">{withVersion(device)}</Fact>}
        {driver && <Fact name="Driver">{driver.version}</Fact>}
        {compiler && <Fact name="Compiler">{compilerText(compiler)}</Fact>}
        {calibration && <CalibrationRows of={calibration} />}
        {noise && (
          <>
            <FileRow name="Noise file" of={noise.before} />
            {noise.after.sha256 !== noise.before.sha256 && (
              <FileRow name="Noise file, after" of={noise.after} />
            )}
          </>
        )}
      </dl>
    </details>
  )
}

function CalibrationRows({ of: { before, after } }: { of: Calibration }) {
  const isOtherFile = before.device_file?.sha256 !== after.device_file?.sha256
  return (
    <>
      <ReportRow name="Calibration" of={before} />
      {after.report !== before.report && <ReportRow name="Calibration, after" of={after} />}
      {before.device_file && <FileRow name="Device file" of={before.device_file} />}
      {after.device_file && isOtherFile && <FileRow name="Device file, after" of={after.device_file} />}
    </>
  )
}

function ReportRow({ name, of: { report, calibrated_at } }: { name: string; of: Calibration['before'] }) {
  if (!report) return null
  return (
    <Fact name={name}>
      <a href={`/calibrations/${report}`}>
        <Moment at={calibrated_at} />
      </a>
    </Fact>
  )
}

function FileRow({
  name,
  of: { sha256, modified_at },
}: {
  name: string
  of: NonNullable<Provenance['noise_file']>['before']
}) {
  return (
    <Fact name={name}>
      <code title={`SHA-256 ${sha256}`}>{sha256.slice(0, 12)}</code>, written <Moment at={modified_at} />
    </Fact>
  )
}

function withVersion({ name, version }: NonNullable<Provenance['device']>): string {
  return version ? `${name} ${version}` : name
}

function compilerText({ version, options }: NonNullable<Provenance['compiler']>): string {
  const given = Object.entries(options).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
  return [version, ...given].filter(Boolean).join(', ')
}
