import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import {
  type Device,
  type Driver,
  type DriverActivity,
  devices,
  driverActivity,
  drivers,
} from '../../api/model/equipment/drivers.ts'
import type { Resource } from '../../api/resource.ts'
import { useApp } from '../../app/app.ts'
import { useLive, useResource } from '../../app/use-resource.ts'

const POLL_MS = 5_000
/** More than the ports of a server serve. */
const MAX_DRIVERS = 500
const FIELDS =
  'id,name,qpu,operation,device,status,enabled,command_port,result_port,host,version,last_seen,created'

/** The drivers, what they send, and the current time. */
export interface DriversState {
  drivers: Resource<Driver[]>
  activity: Resource<DriverActivity>
  /** Unix ms, moving. */
  now: Signal<number>
}

/** Loads all drivers and their activity, and keeps both current. */
export function useDrivers(): DriversState {
  const { api, named } = useApp()
  const now = useSignal(Date.now())
  const query = new URLSearchParams({ perPage: String(MAX_DRIVERS), skipTotal: 'true', fields: FIELDS })
  const list = useResource(
    async (abort) =>
      (await api.get(`/api/collections/${named('drivers')}/records?${query}`, drivers, abort)).items,
  )
  const activity = useResource((abort) => api.get('/api/op/drivers/activity', driverActivity, abort))
  useLive('drivers/*', () => {
    list.loadSoon()
    activity.loadSoon()
  })
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
      if (!document.hidden) activity.loadSoon(0)
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [])
  return { drivers: list, activity, now }
}

/** The built-in devices of the server's version. */
export function useDevices(): Resource<Device[]> {
  const { api } = useApp()
  return useResource((abort) => api.get('/api/devices', devices, abort))
}
