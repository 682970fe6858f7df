#!/bin/sh
# Epilog= of slurm.conf, as root on each node: ends what the job held. It always succeeds, as the prolog.
file=/run/svc-slurm/$SLURM_JOB_ID
[ -e "$file" ] || exit 0
rm -f "$file"
set -a
# shellcheck source=/dev/null
. /etc/svc/slurm.env
set +a
timeout -k 1 10 svc session end --for="slurm:$SLURM_JOB_ID" >/dev/null 2>&1
exit 0
