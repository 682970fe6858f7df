#!/bin/sh
# TaskProlog= of slurm.conf, as the user before each task: gives it the variables of the session, or ends the job
# whose QPU was refused, before its program starts.
file=/run/svc-slurm/$SLURM_JOB_ID
[ -e "$file" ] || exit 0
read -r word status text <"$file"
if [ "$word" = refused ]; then
  echo "print svc: $text"
  exit "$status"
fi
# Slurm takes the values as they stand, without quotes.
sed "s/='\(.*\)'\$/=\1/" "$file"
