import { defineCollection } from '../schema/collection.ts'
import { relation, text } from '../schema/fields/index.ts'

const OWN = 'recordRef = @request.auth.id'

/** Accounts at OAuth2 providers that users log in with; the names are those of the record-store pattern. */
export const externalAuths = defineCollection({
  name: 'external_auths',
  publicName: '_externalAuths',
  fields: {
    recordRef: relation('users', { required: true, cascade: true }),
    provider: text({ required: true, max: 63, help: 'Name of the provider in --oauth2-providers' }),
    providerId: text({ required: true, max: 255, help: 'Permanent id of the account at the provider' }),
  },
  rules: { list: OWN, view: OWN, create: null, update: null, remove: OWN },
  indexes: [['recordRef'], { on: ['provider', 'providerId'], unique: true }],
})
