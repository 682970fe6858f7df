import { notes } from '../../../db/store/readings/index.ts'
import { defineBehavior } from '../behavior.ts'

/** Notes: the server states who wrote one. */
export const notesBehavior = defineBehavior(notes, {
  creating({ caller }, values) {
    values['author'] = caller.kind === 'superuser' ? caller.superuser.email : ''
  },
})
