"""Version of the package, that of the release of svc."""

VERSION = "2026.11.0"
