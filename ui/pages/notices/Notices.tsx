import { useApp } from '../../app/app.ts'
import { AllNotices } from './AllNotices.tsx'
import { OwnNotices } from './OwnNotices.tsx'

/** Notices: for users those addressed to them, for superusers all, with the means to write them. */
export function Notices() {
  const { superuser } = useApp()
  return superuser.value ? <AllNotices /> : <OwnNotices />
}
