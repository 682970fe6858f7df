import * as v from 'valibot'
import {
  createDriver,
  type Driver,
  drivers,
  getQpu,
  replaceDriverToken,
  setDriverEnabled,
} from '../../db/store/qpus/index.ts'
import { connectRequest, connectResponse, operation } from '../../protocol/index.ts'
import { hashToken, newDriverToken } from '../access-token.ts'
import type { ServerContext } from '../context.ts'
import { serverAddress } from '../http/address.ts'
import { callerName } from '../http/caller.ts'
import { equipmentName } from '../http/request/fields.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'
import type { Hub } from './hub.ts'

const driverResponse = shape('DriverSwitch', {
  id: v.string(),
  name: v.string(),
  status: v.picklist(drivers.fields.status.choices),
  enabled: v.boolean(),
})

const registrationResponse = shape('DriverRegistration', {
  ...driverResponse.entries,
  qpu: v.string(),
  qpu_name: v.string(),
  operation,
  device: v.string(),
  token: v.string(),
  svc_addr: v.string(),
  ca_fingerprint: v.string(),
  driver_version: v.string(),
  snippets: v.object({
    store_token: described(
      v.string(),
      'Command that stores the token, which it reads from standard input, in a file',
    ),
    start: described(v.string(), 'Command that starts the driver from any folder, with the stored token'),
  }),
})

/** Registration, connection and switching of drivers. */
export function driverRoutes(hub: Hub): Route[] {
  const connect = {
    access: 'public',
    body: connectRequest,
    statuses: [200, 401],
    errors: { wrong_operation: 400, already_connected: 409, not_attached: 409, no_ports_available: 503 },
    response: connectResponse,
  } as const
  return [
    defineRoute('POST /api/op/drivers/create', {
      access: 'superuser',
      summary: 'Register a driver of a QPU; shows its access token once',
      body: v.object({
        name: equipmentName,
        qpu: v.pipe(v.string(), v.nonEmpty(), v.maxLength(100)),
        operation,
        device: v.optional(v.pipe(v.string(), v.maxLength(200)), ''),
        enabled: v.optional(v.boolean(), true),
      }),
      statuses: [201, 404],
      response: registrationResponse,
      async run(context, { body, caller, request, isSecure }) {
        const token = newDriverToken()
        const row = await createDriver(context.db, callerName(caller), {
          ...body,
          tokenHash: hashToken(token),
        })
        return new Reply(201, await describeRegistration(context, row, token, { url: request.url, isSecure }))
      },
    }),
    defineRoute('POST /api/op/drivers/token', {
      access: 'superuser',
      summary: 'Replace the access token of a driver, which disconnects it; shows the new token once',
      body: v.object({ id: v.pipe(v.string(), v.nonEmpty()) }),
      statuses: [200, 404],
      response: registrationResponse,
      async run(context, { body, caller, request, isSecure }) {
        const token = newDriverToken()
        const row = await replaceDriverToken(context.db, callerName(caller), body.id, hashToken(token))
        hub.disconnect(row.id, 'access token replaced')
        return describeRegistration(context, row, token, { url: request.url, isSecure })
      },
    }),
    defineRoute('POST /api/op/drivers/connect', {
      ...connect,
      summary: 'Connect a driver: grants its lease and opens its message sockets',
      run: (_, { body, address }) => hub.connect(body, address),
    }),
    defineRoute('POST /api/op/qpus/connect', {
      ...connect,
      summary: 'Former path of /api/op/drivers/connect',
      run: (_, { body, address }) => hub.connect(body, address),
    }),
    defineRoute('POST /api/op/drivers/toggle', {
      access: 'superuser',
      summary: 'Enable or disable a driver; disabling disconnects it',
      body: v.object({ id: v.pipe(v.string(), v.nonEmpty()), enabled: v.boolean() }),
      statuses: [200, 404],
      response: driverResponse,
      async run({ db }, { body, caller }) {
        const driver = await setDriverEnabled(db, callerName(caller), body.id, body.enabled)
        if (!body.enabled) hub.disconnect(driver.id, 'driver disabled')
        return { id: driver.id, name: driver.name, enabled: driver.enabled, status: driver.status }
      },
    }),
  ]
}

/** A driver with its new token, and the commands that install and start it. */
async function describeRegistration(
  context: ServerContext,
  { id, name, operation, device, status, enabled, qpu: qpuId }: Driver,
  token: string,
  received: { url: string; isSecure: boolean },
) {
  const qpu = await getQpu(context.db, qpuId)
  const svcAddr = serverAddress(context.config, received)
  const { caFingerprint } = context.tls.material
  return {
    id,
    name,
    qpu: qpu.id,
    qpu_name: qpu.name,
    operation,
    device,
    status,
    enabled,
    token,
    svc_addr: svcAddr,
    ca_fingerprint: caFingerprint,
    driver_version: context.version,
    snippets: {
      store_token: storeTokenCommand(name),
      start: startCommand({ svcAddr, caFingerprint, name, operation, device }),
    },
  }
}

/** The folder of a driver's files: absolute once the shell has read `~`, and one that drivers accept. */
function folderOf(name: string): string {
  return `~/svc-driver/${name}`
}

/** Reads the token from standard input: an argument would be visible to other users and in the history. */
function storeTokenCommand(name: string): string {
  const folder = folderOf(name)
  return `mkdir -p -m 0700 ${folder} && (umask 077 && cat > ${folder}/token)`
}

/** The command that starts the driver on the machine at the equipment. */
function startCommand(driver: {
  svcAddr: string
  caFingerprint: string
  name: string
  operation: string
  device: string
}): string {
  const folder = folderOf(driver.name)
  return [
    'svc driver start',
    `--svc-addr ${driver.svcAddr}`,
    `--ca-fingerprint ${driver.caFingerprint}`,
    `--ca-file ${folder}/svc.ca.pem`,
    `--token-file ${folder}/token`,
    `--data-dir ${folder}/data`,
    `--operation ${driver.operation}`,
    `--device ${shellWord(driver.device || 'DEVICE')}`,
  ].join(' ')
}

function shellWord(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./#-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
