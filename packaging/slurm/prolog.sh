#!/bin/sh
# Prolog= of slurm.conf, as root on each node, with PrologFlags=Alloc: holds the QPU that a job asks for with
#   sbatch --comment=svc:QPU[,seconds=N][,idle=N][,mode=batch]
# It always succeeds, for a prolog that fails drains the node: task-prolog.sh ends the job that was refused.
case "${SLURM_JOB_COMMENT:-}" in svc:*) ;; *) exit 0 ;; esac
dir=/run/svc-slurm
file=$dir/$SLURM_JOB_ID
umask 077
mkdir -p "$dir" && chmod 711 "$dir"
# Of jobs that ended while this node was down.
find "$dir" -type f -mtime +7 -delete

# Puts standard input, the lines of the job, into its file, which only its user reads.
give() {
  rm -f "$file.new"
  cat >"$file.new" && chown "$SLURM_JOB_UID" "$file.new" && mv -f "$file.new" "$file"
}
# If the prolog is killed, the job does not run without its QPU.
echo "refused 70 the prolog has not ended" | give

# SVC_ADDR, SVC_API_TOKEN (of the scope session), and SVC_WAIT; root alone reads them.
set -a
# shellcheck source=/dev/null
. /etc/svc/slurm.env
set +a
unset SVC_SESSION
wait=${SVC_WAIT:-8}

# What the user wrote: no word of it is a flag or a command.
rest=${SLURM_JOB_COMMENT#svc:}
qpu=${rest%%,*}
seconds='' idle='' mode=''
while [ "$rest" != "${rest#*,}" ]; do
  rest=${rest#*,}
  case "$rest" in
    seconds=*) seconds=${rest#seconds=} seconds=${seconds%%,*} ;;
    idle=*) idle=${rest#idle=} idle=${idle%%,*} ;;
    mode=*) mode=${rest#mode=} mode=${mode%%,*} ;;
  esac
done

# The end of the time limit, until which the session lasts at most. Without a limit: 8 h, the longest session.
end=${SLURM_JOB_END_TIME:-}
if [ -z "$end" ]; then
  end=$(squeue -h -j "$SLURM_JOB_ID" -o '%A %e' | awk -v id="$SLURM_JOB_ID" '$1 == id { print $2; exit }')
  [ -z "$end" ] || end=$(date -d "$end" +%s 2>/dev/null) || end=
fi
now=$(date +%s)
left=$((${end:-$((now + 28800))} - now))
[ "$left" -le 28800 ] || left=28800
[ "$left" -gt 0 ] || left=1
until=$(date -u -d "@$((now + left))" +%Y-%m-%dT%H:%M:%SZ)

said=$dir/$SLURM_JOB_ID.said
set -- --for="slurm:$SLURM_JOB_ID" --cluster="$SLURM_CLUSTER_NAME" --uid="$SLURM_JOB_UID" --until="$until" \
  --wait="$wait" --seconds="${seconds:-$left}" --print-env
[ -z "$idle" ] || set -- "$@" --idle="$idle"
[ -z "$mode" ] || set -- "$@" --mode="$mode"
set -- "$@" -- "$qpu"
if timeout -k 1 "$((wait + 4))" svc session start "$@" >"$file.env" 2>"$said"; then
  give <"$file.env"
else
  status=$?
  echo "refused $status $(tr '\n' ' ' <"$said" | tr -cd '[:print:]' | cut -c 1-500)" | give
fi
rm -f "$file.env" "$said"
exit 0
