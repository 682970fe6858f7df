#!/bin/sh
# After the files are gone. Data and the account that owns them are never removed.
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
case "${1:-}" in
  purge)
    rm -rf /etc/svc
    [ ! -d /var/lib/svc ] || echo "The data of svc stay in /var/lib/svc, and so does the account svc."
    ;;
esac
