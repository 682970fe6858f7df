import { defineCollection } from '../../schema/collection.ts'
import { integer, relation, text } from '../../schema/fields/index.ts'

/** Whose user an account of a cluster is: an API token of the scope `session` opens sessions for these. */
export const clusterAccounts = defineCollection({
  name: 'cluster_accounts',
  fields: {
    cluster: text({
      required: true,
      max: 64,
      pattern: /^[\w.-]+$/,
      help: 'Name of the cluster, as of ClusterName in slurm.conf',
    }),
    // Root is nobody's account: a session would be charged to a user for whatever runs as root.
    uid: integer({ required: true, min: 1, max: 4_294_967_294, help: 'User id there, never 0' }),
    user: relation('users', { required: true, cascade: true }),
  },
  rules: { list: null, view: null, create: null, update: null, remove: null },
  indexes: [{ on: ['cluster', 'uid'], unique: true }, ['user']],
})
