"""The owner of everything in an installation without accounts."""

from typing import Final

LOCAL_OWNER: Final = "local"
