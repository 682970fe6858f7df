import { defineCollection } from '../schema/collection.ts'
import { relation, text } from '../schema/fields/index.ts'

/** Accounts at OAuth2 providers that users log in with. */
export const externalAuths = defineCollection({
  name: 'external_auths',
  fields: {
    user: relation('users', { required: true, cascade: true }),
    provider: text({ required: true, max: 63, help: 'Name of the provider in --oauth2-providers' }),
    provider_id: text({ required: true, max: 255, help: 'Permanent id of the account at the provider' }),
  },
  rules: { list: null, view: null, create: null, update: null, remove: null },
  indexes: [['user'], { on: ['provider', 'provider_id'], unique: true }],
})
