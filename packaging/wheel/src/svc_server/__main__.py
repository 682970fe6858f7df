"""Becomes the executable of svc, so that signals and exit status are its own."""

import os
import sys

from svc_server import find_svc

svc = find_svc()
os.execv(svc, [str(svc), *sys.argv[1:]])
