import { asApiError } from '../../api/api.ts'
import { type CalibrationRequest, calibrationRequest } from '../../api/model/calibrations.ts'
import { useApp } from '../../app/app.ts'
import { useConfirm } from '../../parts/use-confirm.ts'

interface ContinueProps {
  request: CalibrationRequest
  /** Status of its report; empty without one. */
  report?: string
}

/** For superusers: requests the rest of a calibration that was stopped or failed. */
export function Continue({ request, report = '' }: ContinueProps) {
  const app = useApp()
  const confirm = useConfirm()
  const isOver = request.status === 'failed' || request.status === 'done'
  if (!app.superuser.value || !isOver || report === 'success' || report === 'partial_failure') return null
  const resume = async () => {
    const asked = await confirm({
      title: 'Continue the calibration?',
      body: 'Steps that it had finished are not repeated while they are younger than 12 h, their checks pass, and the files and options of the tuner are the same. The QPU takes no jobs until it ends.',
      action: 'Continue',
    })
    if (!asked) return
    try {
      const body = { resume: request.id }
      const { id } = await app.api.post('/api/op/calibrate/dispatch', body, calibrationRequest)
      app.toast('The rest of the calibration is in the queue of its tuner.')
      app.router.go(`/calibrations/${id}`)
    } catch (error) {
      app.toast(`Could not continue it. ${asApiError(error).message}`, 'bad')
    }
  }
  return (
    <button type="button" onClick={resume}>
      Continue…
    </button>
  )
}
