#!/usr/bin/env bash
# Installs a driver as a background service of systemd. Run again, it brings an installation up to date.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: sudo env VARIABLES... ./install-driver.sh [KEY=VALUE...]
       sudo env SERVICE_NAME=... ./install-driver.sh --uninstall | --purge

Installs a driver as the systemd service of the name SERVICE_NAME and starts it.
Each KEY=VALUE is passed to the device as -o KEY=VALUE.

  --uninstall     stop the service and remove its unit, its settings and its token; the data
                  stay, because they may contain results that the server does not have
  --purge         the same, and remove the data

  SVC_TOKEN       access token of the driver, from its registration; may be absent when the
                  driver is installed already, and then stays as it is
  SVC_ADDR        address of the server, such as http://10.0.0.5:8090
  CA_FINGERPRINT  fingerprint of the server's root CA, 64 hexadecimal digits
  SERVICE_NAME    name of the service: letters, digits, - and _
  OPERATION       process, monitor or calibrate
  DEVICE          name of a built-in device, /path/to/module.js#export, or module:Class of Python

  SVC_BINARY      the executable (default: svc on the PATH, then beside this script or its folder)
  SVC_PYTHON      Python of the device, an interpreter or the folder of a virtual environment
                  (default: python3 on the PATH of the service)
  SVC_USER        user that runs the driver, made when absent (default: a user of its own, svcd-SERVICE_NAME);
                  drivers that share files, such as a device file, need the same one
  DESTDIR         install below this folder and touch nothing else, for packages

Data go to /var/svc-driver/SERVICE_NAME, settings to /etc/svc-driver/SERVICE_NAME.env and the token to
SERVICE_NAME.token beside it.
TEXT
}

fail() {
  printf 'install-driver: %s\n' "$1" >&2
  exit "${2:-1}"
}

# A quoted word for a unit or its environment file: in a unit, % and $ mean something.
quoted() {
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  printf '"%s"' "$text"
}
unit_word() {
  local text=$1
  text=${text//%/%%}
  quoted "${text//\$/\$\$}"
}

check() {
  local name=$1 pattern=$2 expected=$3 value=${!1:-}
  [[ $value =~ $pattern ]] && return
  if [ -z "$value" ]; then value=missing
  elif [ "$name" = SVC_TOKEN ]; then value='not a token'
  else value="\"$value\""; fi
  fail "$name is $value; expected $expected" 2
}

action=install
case "${1:-}" in
  -h | --help) usage; exit 0 ;;
  --uninstall | --purge)
    action=${1#--}
    shift
    [ "$#" -eq 0 ] || fail "argument \"$1\"; expected nothing after --$action" 2
    ;;
esac

root=${DESTDIR:-}
if [ -z "$root" ] && [ "$(id -u)" -ne 0 ]; then
  fail 'needs root, because it writes a systemd unit and makes a user; run it with sudo env VARIABLES...'
fi

check SERVICE_NAME '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' 'letters, digits, - and _'
settings=$root/etc/svc-driver/$SERVICE_NAME.env
token=$root/etc/svc-driver/$SERVICE_NAME.token
data=/var/svc-driver/$SERVICE_NAME
unit=$root/etc/systemd/system/$SERVICE_NAME.service
# The user of a service: its name, or a digest of a name that is too long or has capitals.
own_user() {
  if [[ $1 =~ ^[a-z0-9_-]{1,27}$ ]]; then echo "svcd-$1"
  else echo "svcd-$(printf %s "$1" | sha256sum | cut -c1-16)"; fi
}
user_of() { sed -n 's/^User=//p' "$1"; }

# A service of the system must not be replaced or removed by a driver that has its name.
if [ -f "$unit" ] && ! grep -q '^# Written by install-driver.sh' "$unit"; then
  fail "$unit is not a driver of this installer; choose another SERVICE_NAME" 2
fi

if [ "$action" != install ]; then
  removed=("$unit" "$settings" "$token")
  [ "$action" = uninstall ] || removed+=("$root$data")
  found=''
  for path in "${removed[@]}"; do if [ -e "$path" ]; then found=yes; fi; done
  [ -n "$found" ] || fail "no driver $SERVICE_NAME is installed" 2
  if [ -z "$root" ] && [ -f "$unit" ]; then systemctl disable --quiet --now "$SERVICE_NAME.service"; fi
  rm -rf "${removed[@]}"
  if [ -z "$root" ]; then systemctl daemon-reload; fi
  # Nothing is left that belongs to it.
  if [ -z "$root" ] && [ "$action" = purge ] && id "$(own_user "$SERVICE_NAME")" >/dev/null 2>&1; then
    userdel "$(own_user "$SERVICE_NAME")"
  fi
  echo "Driver $SERVICE_NAME removed"
  if [ -d "$root$data" ]; then echo "Its data stay in $root$data"; fi
  exit 0
fi

check SVC_ADDR '^https?://[^[:space:]/?#@]+(/[^[:space:]?#]*)?$' 'an address such as http://10.0.0.5:8090'
check CA_FINGERPRINT '^[0-9A-Fa-f:]{64,95}$' 'the 64 hexadecimal digits that the server prints at start'
check OPERATION '^(process|monitor|calibrate)$' 'process, monitor or calibrate'
check DEVICE '^[^[:space:][:cntrl:]]+$' 'a device such as aer_sim, or /path/to/module.js#export'
case $DEVICE in ./* | ../*) fail "DEVICE is \"$DEVICE\"; expected an absolute path, the service has no working folder of yours" 2 ;; esac
if [ -n "${SVC_PYTHON:-}" ]; then check SVC_PYTHON '^/[^[:cntrl:]]*$' 'the absolute path of an interpreter or of a virtual environment'; fi
SVC_USER=${SVC_USER:-$(own_user "$SERVICE_NAME")}
check SVC_USER '^[a-z_][a-z0-9_-]{0,31}$' 'a user name'
for option in "$@"; do
  [[ $option =~ ^[A-Za-z_][A-Za-z0-9_]*=[^[:cntrl:]]*$ ]] || fail "argument \"$option\"; expected KEY=VALUE" 2
done

# Files of a driver are closed to other users.
shared_with() {
  fail "driver $1 runs as user $2 and $3, which $SVC_USER cannot read; give both the same SVC_USER, such as $2" 2
}
for option in "$@"; do
  [[ ${option#*=} =~ ^/var/svc-driver/([^/]+)/ ]] || continue
  other=${BASH_REMATCH[1]}
  file=$root/etc/systemd/system/$other.service
  [ "$other" != "$SERVICE_NAME" ] && [ -f "$file" ] && [ "$(user_of "$file")" != "$SVC_USER" ] || continue
  shared_with "$other" "$(user_of "$file")" 'has the file of an option'
done
for file in "$root"/etc/systemd/system/*.service; do
  grep -qs '^# Written by install-driver.sh' "$file" || continue
  [ "$file" != "$unit" ] && [ "$(user_of "$file")" != "$SVC_USER" ] || continue
  grep -q "^ExecStart=.*=$data/" "$file" || continue
  shared_with "$(basename "$file" .service)" "$(user_of "$file")" "reads files in $data"
done

if [ -z "${SVC_TOKEN:-}" ] && [ -f "$token" ]; then SVC_TOKEN=$(cat "$token"); fi
# Releases until 2026.11 kept it in the settings.
if [ -z "${SVC_TOKEN:-}" ] && [ -f "$settings" ]; then
  SVC_TOKEN=$(sed -n 's/^SVC_ACCESS_TOKEN="\(.*\)"$/\1/p' "$settings")
fi
check SVC_TOKEN '^[A-Za-z0-9_.-]+$' 'the access token of the driver'

here=$(cd "$(dirname "$0")" && pwd)
binary=${SVC_BINARY:-$(command -v svc || true)}
for candidate in "$here/svc" "$here/../svc"; do
  if [ -z "$binary" ] && [ -x "$candidate" ]; then binary=$(realpath "$candidate"); fi
done
[ -n "$binary" ] && [ -x "$binary" ] || fail 'no svc executable; put svc on the PATH or name it with SVC_BINARY'
"$binary" --version >/dev/null || fail "$binary does not run on this machine"

if [ -z "$root" ]; then
  command -v systemctl >/dev/null || fail 'needs systemd; start the driver in another way (svc driver start)'
  getent group svc-driver >/dev/null || groupadd --system svc-driver
  if ! id "$SVC_USER" >/dev/null 2>&1; then
    useradd --system --gid svc-driver --no-user-group --home-dir /var/svc-driver --no-create-home \
      --shell /usr/sbin/nologin "$SVC_USER"
  fi
  # A driver that is installed moves to its own user, with the groups that open its instruments.
  before=''
  if [ -f "$unit" ]; then before=$(user_of "$unit"); fi
  if [ -n "$before" ] && [ "$before" != "$SVC_USER" ] && id "$before" >/dev/null 2>&1; then
    groups=$(id -nG "$before" | tr ' ' ',')
    usermod --append --groups "$groups" "$SVC_USER"
    # Until 2026.11 no other user could lock an instrument that this one had used; only it may open the files.
    runuser -u "$before" -- find /tmp -maxdepth 1 -name 'svc-instrument-*' -type f -user "$before" -exec chmod 666 {} +
  fi
fi

# The driver reports this too, but only at a start that nobody watches.
if [ -z "$root" ] && [ -n "${SVC_PYTHON:-}" ]; then
  python=$SVC_PYTHON
  [ ! -d "$python" ] || python=$python/bin/python3
  runuser -u "$SVC_USER" -- "$python" -c 'import svc_driver' ||
    fail "user $SVC_USER cannot import svc_driver with $python; install svc-driver where that user can read it"
fi

installed=/usr/local/bin/svc

mkdir -p "$root/usr/local/bin" "$root/etc/systemd/system" "$root$data"
install -d -m 0755 "$root/etc/svc-driver"
chmod 0700 "$root$data"

# Renamed into place, so that a running driver keeps the file it was started from.
if ! cmp -s "$binary" "$root$installed"; then
  install -m 0755 "$binary" "$root$installed.new"
  mv -f "$root$installed.new" "$root$installed"
fi
ln -sfn svc "$root/usr/local/bin/svc-driver"

# Never readable by others, not even while it is written.
(
  umask 077
  {
    echo "SVC_ADDR=$(quoted "$SVC_ADDR")"
    echo "SVC_CA_FINGERPRINT=$(quoted "$CA_FINGERPRINT")"
    echo "SVC_CA_FILE=$(quoted "$data/svc.ca.pem")"
    echo "SVC_DATA_DIR=$(quoted "$data")"
    if [ -n "${SVC_PYTHON:-}" ]; then echo "SVC_PYTHON=$(quoted "$SVC_PYTHON")"; fi
  } >"$settings.new"
  printf '%s\n' "$SVC_TOKEN" >"$token.new"
)
mv -f "$settings.new" "$settings"
mv -f "$token.new" "$token"

options=''
for option in "$@"; do options+=" -o $(unit_word "$option")"; done
cat >"$unit.new" <<TEXT
# Written by install-driver.sh; run it again instead of editing.
[Unit]
Description=svc driver $SERVICE_NAME ($OPERATION)
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/local/bin/svc-driver start --operation $OPERATION --device $(unit_word "$DEVICE") --token-file -$options
EnvironmentFile=/etc/svc-driver/$SERVICE_NAME.env
# Opened by systemd, because the code of the device runs as the same user and must not read it: a credential
# (LoadCredential=) would be a file of that user.
StandardInput=file:/etc/svc-driver/$SERVICE_NAME.token
StandardOutput=journal
WorkingDirectory=$data
User=$SVC_USER
UMask=0077
# 1: options or files of the device are wrong; 2: the command line is. Another start would change nothing.
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=1 2
# Waits for a job, and for devices that restore their hardware.
TimeoutStopSec=60
KillMode=mixed
# Devices of the machine stay available: a driver may use serial ports and cards.
CapabilityBoundingSet=
NoNewPrivileges=true
ProtectSystem=strict
# Drivers that share an instrument lock it by a file in /tmp: it is the same one for all of them.
ReadWritePaths=$data /tmp
ProtectHome=read-only
ProtectControlGroups=true
ProtectHostname=true
ProtectKernelLogs=true
ProtectKernelModules=true
ProtectKernelTunables=true
LockPersonality=true
RestrictNamespaces=true
RestrictSUIDSGID=true
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
TEXT
mv -f "$unit.new" "$unit"

if [ -n "$root" ]; then
  echo "Driver $SERVICE_NAME prepared below $root"
  exit 0
fi
systemctl daemon-reload
# Before its files are given away: a device that still ran as another user could exchange them.
systemctl stop --quiet "$SERVICE_NAME.service"
chown -R "$SVC_USER": "$data"
systemctl enable --quiet "$SERVICE_NAME.service"
systemctl restart "$SERVICE_NAME.service"
# A driver with wrong options ends at once.
sleep 2
if ! systemctl is-active --quiet "$SERVICE_NAME.service"; then
  journalctl --unit="$SERVICE_NAME.service" --lines=5 --output=cat --no-pager >&2 || true
  fail "driver $SERVICE_NAME is installed, but does not run ($(systemctl is-active "$SERVICE_NAME.service" || true)); see journalctl -u $SERVICE_NAME"
fi
echo "Driver $SERVICE_NAME runs; see: systemctl status $SERVICE_NAME, journalctl -u $SERVICE_NAME"
