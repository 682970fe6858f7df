import { readFileSync } from 'node:fs'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { AppError, reasonOf } from '../../base/index.ts'
import type { ServerContext } from '../context.ts'
import { AddressGuard } from './addresses.ts'
import { Deliverer } from './deliverer.ts'

/** What sends webhooks, and what decides where they may be sent. */
export interface Webhooks {
  readonly guard: AddressGuard
  readonly deliverer: Deliverer
}

/** @throws AppError `invalid` with reason `bad_config` when the CA file is not one of certificates. */
export function createWebhooks({ config, db, clock, log, version }: ServerContext): Webhooks {
  const guard = new AddressGuard({ allowed: config.webhookNetworks })
  const secureContext = config.webhookCaFile === '' ? undefined : trusting(config.webhookCaFile)
  return { guard, deliverer: new Deliverer({ db, clock, log, guard, secureContext, version }) }
}

/** Trusts the certificates of a file besides those of the runtime. */
function trusting(path: string): SecureContext {
  try {
    return createSecureContext({ ca: [...rootCertificates, readFileSync(path, 'utf8')] })
  } catch (cause) {
    throw new AppError('invalid', `--webhook-ca-file: cannot use ${path}; ${reasonOf(cause)}`, {
      reason: 'bad_config',
      cause,
    })
  }
}
