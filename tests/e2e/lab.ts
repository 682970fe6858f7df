import { rmSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { BELL, runSvc, Service } from '../support/executable/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The account that signs in in the browser. */
export interface Account {
  email: string
  password: string
}

/** A running service with one QPU, `kelvin`, whose driver is started on demand. */
export interface Lab {
  service: Service
  url: string
  user: Account & { id: string; token: string }
  admin: Account & { token: string }
  qpu: { id: string; token: string; fingerprint: string }
  /**
   * Starts a driver for the QPU and waits until it is attached. With `latency`, each job takes that many
   * seconds.
   */
  connect(latency?: number): Promise<void>
  /**
   * Submits a Bell pair as the user, outside of any page, to the QPU by default; returns its id.
   */
  submit(shots?: number, qpu?: string): Promise<string>
  /** One call as the administrator; throws unless it succeeds. */
  asAdmin(method: string, path: string, body: unknown): Promise<Record<string, unknown>>
  close(): Promise<void>
}

const QPU_SECONDS = 3_600

/** Opens a lab in its own folder; `flags` are additional flags of `svc serve`. */
export async function openLab(flags: string[] = []): Promise<Lab> {
  const folder = temporaryFolder()
  const service = await Service.install(folder.path, { flags })
  const admin = { email: 'root@lab.example', password: 'a password of the lab', token: '' }
  const user = { email: 'lindqvist@lab.example', password: 'another password of the lab', id: '', token: '' }
  await runSvc(['superuser', 'upsert', admin.email, admin.password], { cwd: folder.path })
  await service.start()
  admin.token = await service.admin()

  const call = async (method: string, path: string, token: string, body: unknown) => {
    const response = await service.call(method, path, { token, body })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`)
    return response.body
  }
  const asAdmin = (method: string, path: string, body: unknown) => call(method, path, admin.token, body)
  const create = async (collection: string, { email, password }: Account, more: object) => {
    const body = { email, password, passwordConfirm: password, ...more }
    return asAdmin('POST', `/api/collections/${collection}/records`, body)
  }
  const login = async ({ email: identity, password }: Account) =>
    call('POST', '/api/collections/users/auth-with-password', '', { identity, password })

  user.id = String((await create('users', user, { qpu_seconds: QPU_SECONDS }))['id'])
  // Without password login, only providers know users.
  if (!flags.includes('--disable-email-password-auth')) user.token = String((await login(user))['token'])
  const qpu = await service.createQpu('kelvin')

  return {
    service,
    url: service.url,
    user,
    admin,
    qpu,
    async connect(latency) {
      const [device, options]: [string, string[]] = latency
        ? ['mock', [`latency=${latency}`]]
        : ['aer_sim', []]
      service.startDriver('kelvin', qpu, device, options)
      await service.untilOnline('kelvin')
    },
    async submit(shots = 1_000, target = qpu.id) {
      const body = { circuits: [{ circuit: BELL }], shots, qpu_target: target }
      return String((await call('POST', '/api/jobs', user.token, body))['id'])
    },
    asAdmin,
    async close() {
      await service.close()
      rmSync(folder.path, { recursive: true, force: true })
    },
  }
}

/** Signs in by the form, like a user. */
export async function signIn(page: Page, { email, password }: Account): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

/** Signs in by the form for superusers. */
export async function signInAsSuperuser(page: Page, { email, password }: Account): Promise<void> {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in as a superuser' }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('banner').getByText('Superuser').waitFor()
}
