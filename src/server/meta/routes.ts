import * as v from 'valibot'
import type { Clock } from '../../base/index.ts'
import { COLLECTIONS } from '../../db/index.ts'
import { listSuperusers } from '../../db/store/accounts/index.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { described } from '../http/schema.ts'
import { HEALTH_PATH, healthOf, healthResponse } from './health.ts'
import { joinedReadsRoute } from './joined-reads.ts'
import type { Readiness } from './readiness.ts'

/** Routes about the server itself: health, version, configuration of the web pages, root CA. */
export function metaRoutes(readiness: Readiness, clock: Clock): Route[] {
  return [
    defineRoute(`GET ${HEALTH_PATH}`, {
      access: 'public',
      summary:
        'Check that the server responds and can read its database; with ?ready=1, that it can do its work',
      query: v.object({
        ready: described(
          v.optional(v.picklist(['1', 'true', '0', 'false']), '0'),
          'Also check that writes succeed, ports are open and loops run; 503 lists the problems',
        ),
      }),
      errors: { not_ready: 503 },
      response: healthResponse,
      async run({ db }, { query }) {
        await db.read((tx) => tx.one('SELECT 1 AS ok'))
        if (query.ready === '1' || query.ready === 'true') await readiness.check()
        return healthOf(db.shared && 'leader')
      },
    }),
    defineRoute('GET /api/op/version', {
      access: 'superuser',
      isOperation: true,
      summary: 'Retrieve the version of the application',
      response: v.object({ version: v.string() }),
      run: async ({ version }) => ({ version }),
    }),
    defineRoute('GET /api/ui/config', {
      access: 'public',
      summary: 'Retrieve the configuration of the web pages before login',
      response: v.object({
        name: v.string(),
        version: v.string(),
        passwordLogin: v.boolean(),
        oauth2: v.array(v.object({ name: v.string(), displayName: v.string() })),
        allowSignup: v.boolean(),
        hasSuperuser: v.boolean(),
        booking: described(
          v.object({
            idle_seconds: v.number(),
            max_length_seconds: v.number(),
            max_ahead_seconds: v.number(),
          }),
          'When unused time goes to others, and how long and far ahead users book',
        ),
        collections: described(
          v.record(v.string(), v.string()),
          'Public name of each collection, as used in record routes and in topics of the event stream',
        ),
      }),
      async run({ config, db, version }) {
        const superusers = await listSuperusers(db)
        return {
          name: config.siteName,
          version,
          passwordLogin: !config.disableEmailPasswordAuth,
          oauth2: config.oauth2Providers.map(({ name, displayName }) => ({ name, displayName })),
          // Without password login, an account that has only a password would be unusable.
          allowSignup: config.allowSignup && !config.disableEmailPasswordAuth,
          hasSuperuser: superusers.length > 0,
          booking: {
            idle_seconds: config.idleThreshold / 1_000,
            max_length_seconds: config.maxSlotLength / 1_000,
            max_ahead_seconds: config.maxSlotAhead / 1_000,
          },
          collections: Object.fromEntries(COLLECTIONS.map((each) => [each.name, db.names.publicName(each)])),
        }
      },
    }),
    joinedReadsRoute(clock),
    defineRoute('GET /api/pub/root-ca.pem', {
      access: 'public',
      isOperation: true,
      summary: "Retrieve the server's root CA certificate; compare it with the pinned fingerprint",
      media: 'application/x-pem-file',
      run: async ({ tls }) =>
        new Response(tls.material.caPem, {
          headers: {
            'content-type': 'application/x-pem-file',
            'cache-control': 'no-cache',
            'x-content-type-options': 'nosniff',
          },
        }),
    }),
  ]
}
