"""Version of this package. It follows the server's ``{year}.{month}.{patch}``."""

VERSION = "2026.11.0"
