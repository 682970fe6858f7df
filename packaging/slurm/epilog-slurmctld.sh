#!/bin/sh
# EpilogSlurmctld= of slurm.conf, on the controller: ends what a job held whose node is gone. While no server responds it
# tries again, for 20 minutes and in the background; after that the session ends with the time limit of the job.
case "${SLURM_JOB_COMMENT:-}" in svc:*) ;; *) exit 0 ;; esac
set -a
# shellcheck source=/dev/null
. /etc/svc/slurm.env
set +a
end() {
  timeout -k 1 10 svc session end --for="slurm:$SLURM_JOB_ID" >/dev/null 2>&1
}
if [ "${1:-}" = again ]; then
  for pause in 5 15 40 120 300 720; do
    sleep "$pause"
    end && break
  done
elif ! end; then
  # Slurm kills what is in the process group of this script when it ends.
  setsid -f "$0" again </dev/null >/dev/null 2>&1
  sleep 1
fi
exit 0
