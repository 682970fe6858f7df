#!/bin/sh
# Before the files go: deb passes `remove` or `upgrade VERSION`, rpm the number of versions that are left.
set -e
case "${1:-}" in remove | 0) ;; *) exit 0 ;; esac
if [ -d /run/systemd/system ]; then
  systemctl disable --now svc.service svc-backup.service || true
fi
