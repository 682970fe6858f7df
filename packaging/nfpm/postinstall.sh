#!/bin/sh
# After the files are in place: deb passes `configure OLD-VERSION`, rpm the number of installed versions.
set -e
case "${1:-}" in configure) upgraded="${2:-}" ;; 1) upgraded= ;; *) upgraded="${1:-}" ;; esac

# The account of the service; systemd-sysusers makes it where systemd does not run, too.
if command -v systemd-sysusers >/dev/null; then
  systemd-sysusers svc.conf
elif ! getent passwd svc >/dev/null; then
  useradd --system --user-group --home-dir /var/lib/svc --shell /usr/sbin/nologin svc
fi
# The config file may hold secrets.
chown root:svc /etc/svc/svc.config.yml
chmod 0640 /etc/svc/svc.config.yml

if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # A server that runs starts again with the new version; drivers reconnect to it.
  [ -z "$upgraded" ] || systemctl try-restart svc.service svc-backup.service
fi
if [ -z "$upgraded" ]; then
  echo "svc is installed. Set ipAddr in /etc/svc/svc.config.yml, then start it:"
  echo "  systemctl enable --now svc && journalctl -u svc"
fi
