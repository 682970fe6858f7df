import { asApiError } from '../../api/api.ts'
import { type Driver, registration } from '../../api/model/equipment/drivers.ts'
import { useApp } from '../../app/app.ts'
import { useConfirm } from '../../parts/use-confirm.ts'
import { keepToken } from './issued.ts'

/** What can be done with a driver. Each asks first where it disconnects something. */
interface DriverActions {
  toggle(driver: Driver): Promise<void>
  renewToken(driver: Driver): Promise<void>
  remove(driver: Driver): Promise<boolean>
}

/** The actions on drivers; `changed` is called after each. */
export function useDriverActions(changed: () => void): DriverActions {
  const { api, named, router, toast } = useApp()
  const confirm = useConfirm()
  const attempt = async (action: () => Promise<void>): Promise<boolean> => {
    try {
      await action()
      changed()
      return true
    } catch (error) {
      toast(asApiError(error).message, 'bad')
      return false
    }
  }
  return {
    async toggle({ id, name, enabled, status }) {
      const body =
        status === 'online'
          ? 'Its connection is closed, and further attempts to connect are refused (403). Its jobs return to the queue. A driver that stands by takes over.'
          : 'Its attempts to connect are refused (403).'
      if (enabled && !(await confirm({ title: `Disable ${name}?`, body, action: 'Disable', tone: 'bad' })))
        return
      await attempt(() => api.send('/api/op/drivers/toggle', { id, enabled: !enabled }))
    },
    async renewToken({ id, name, status }) {
      const body = `The current token stops working immediately${status === 'online' ? ', and the driver is disconnected' : ''}. The new one is shown once; install it where the driver runs.`
      if (!(await confirm({ title: `Create a new token for ${name}?`, body, action: 'Create a new token' })))
        return
      await attempt(async () => {
        const { token } = await api.post('/api/op/drivers/token', { id }, registration)
        keepToken(id, token)
        router.go(`/drivers/${id}`)
      })
    },
    async remove({ id, name, status }) {
      const body = `${status === 'online' ? 'It is disconnected. ' : ''}Its token stops working, and its limits are deleted. Its events stay in the log.`
      const agreed = await confirm({
        title: `Delete ${name}?`,
        body,
        action: 'Delete',
        tone: 'bad',
        typed: name,
      })
      return agreed && attempt(() => api.remove(`/api/collections/${named('drivers')}/records/${id}`))
    },
  }
}
