import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { useDialog } from '../../parts/form/use-dialog.ts'
import { Menu } from '../../parts/Menu.tsx'
import { MaintenanceDialog } from '../../parts/qpu/MaintenanceDialog.tsx'
import { qpuActions } from '../../parts/qpu/qpu-actions.ts'

/** What superusers do with a QPU. */
export function QpuActions({ qpu, onDeleted }: { qpu: Qpu; onDeleted?: () => void }) {
  const app = useApp()
  const [maintaining, startMaintenance] = useDialog((_, close) => (
    <MaintenanceDialog qpu={qpu} close={close} />
  ))
  const items = qpuActions(app, qpu, { startMaintenance, onDeleted })
  return (
    <>
      <Menu button="Actions" label={`Actions for ${qpu.name}`} items={items} />
      {maintaining}
    </>
  )
}
