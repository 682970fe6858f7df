import { useSignal } from '@preact/signals'
import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { Menu } from '../../parts/Menu.tsx'
import { MaintenanceDialog } from '../../parts/qpu/MaintenanceDialog.tsx'
import { qpuActions } from '../../parts/qpu/qpu-actions.ts'

/** What superusers do with a QPU. */
export function QpuActions({ qpu, onDeleted }: { qpu: Qpu; onDeleted?: () => void }) {
  const app = useApp()
  const maintaining = useSignal(false)
  const startMaintenance = () => {
    maintaining.value = true
  }
  const items = qpuActions(app, qpu, { startMaintenance, onDeleted })
  return (
    <>
      <Menu button="Actions" label={`Actions for ${qpu.name}`} items={items} />
      <MaintenanceDialog
        qpu={qpu}
        open={maintaining.value}
        onClose={() => {
          maintaining.value = false
        }}
      />
    </>
  )
}
