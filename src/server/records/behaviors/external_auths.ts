import * as v from 'valibot'
import { externalAuths, users } from '../../../db/store/accounts/index.ts'
import { collectionIdOf } from '../../http/response/present-record.ts'
import { defineBehavior } from '../behavior.ts'

/** Linked accounts name the collection of their owner, as in the record-store pattern. */
export const externalAuthsBehavior = defineBehavior(externalAuths, {
  computedShape: { collectionRef: v.literal(collectionIdOf(users)) },
  computed: (_, all) => all.map(() => ({ collectionRef: collectionIdOf(users) })),
})
