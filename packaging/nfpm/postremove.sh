#!/bin/sh
# After the files are gone. Data and the account that owns them are never removed.
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
case "${1:-}" in
  purge)
    # dpkg has removed the file of the package; what an administrator added stays.
    rmdir --ignore-fail-on-non-empty /etc/svc 2>/dev/null || true
    [ ! -d /var/lib/svc ] || echo "The data of svc stay in /var/lib/svc, and so does the account svc."
    ;;
esac
