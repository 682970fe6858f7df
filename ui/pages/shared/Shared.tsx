import { shared } from '../../api/model/access/shares.ts'
import { useApp } from '../../app/app.ts'
import type { PageProps } from '../../app/page.ts'
import { useResource } from '../../app/use-resource.ts'
import { PlainSource } from '../../editor/PlainSource.tsx'
import { jobCondition } from '../../jobs/status.ts'
import { printWhole } from '../../lib/print.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Heading, Loaded } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import type { ReportView } from '../calibrations/report/ReportView.tsx'
import { Details } from '../jobs/detail/Details.tsx'

/** The job or report that a link opens, as it is when the page opens. */
export function SharedPage({ params }: PageProps) {
  const { api } = useApp()
  const path = `/api/shared/${encodeURIComponent(params['secret'] ?? '')}`
  const found = useResource((abort) => api.get(path, shared, abort), [path])
  if (found.error.value?.status === 404) return <NotValid />
  return (
    <Loaded of={found} task="load what this link opens" rows={8} title="Shared link">
      {({ job, report, qpu, expires_at }) => (
        <>
          <p class="soft">
            Shared with you, read-only, until <Moment at={expires_at} />.
          </p>
          {job && (
            <>
              <Heading
                title={job.name || `Job ${job.id}`}
                lead={
                  <>
                    <Status {...jobCondition(job)} /> <code>{job.id}</code>
                  </>
                }
              >
                <button type="button" onClick={() => void printWhole()}>
                  Print
                </button>
              </Heading>
              <div class="columns job">
                <Details job={job} path={path} source={PlainSource} owner={undefined} isShared />
              </div>
            </>
          )}
          {report && (
            <Report
              report={report}
              request={undefined}
              qpuName={qpu || 'a removed QPU'}
              tunerName=""
              isShared
            />
          )}
        </>
      )}
    </Loaded>
  )
}

/** A report; links to jobs do not load its code. */
function Report(props: Parameters<typeof ReportView>[0]) {
  const view = useResource(async () => (await import('../calibrations/report/ReportView.tsx')).ReportView)
  return (
    <Loaded of={view} task="load the page of the report" rows={8}>
      {(View) => <View {...props} />}
    </Loaded>
  )
}

function NotValid() {
  return (
    <div class="empty">
      <h1 tabIndex={-1}>This link is not valid</h1>
      <p>It has expired, was revoked, or what it opened is removed. Ask whoever sent it for a new one.</p>
    </div>
  )
}
