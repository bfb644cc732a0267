"""Addresses as a model may write them into a link: those that become one, and those that never do."""

from __future__ import annotations

from typing import Final

LINKS: Final = (
    "http://example.org/a",
    "https://example.org/b?q=1#part",
    "HTTPS://EXAMPLE.ORG/c",
    "https://user@example.org:8443/d",
    "http://127.0.0.1:3000/e",
    "http://[::1]/f",
    "mailto:ada@example.org",
    "MAILTO:ada@example.org?subject=g",
)
"""Web pages and mail."""

_SCHEMES: Final = (
    "about", "android-app", "blob", "chrome", "chrome-extension", "content", "cid", "data", "dict", "facetime", "feed",
    "file", "filesystem", "ftp", "ftps", "git", "gopher", "intent", "irc", "itms-services", "jar", "javascript", "jdbc",
    "ldap", "ldaps", "livescript", "magnet", "mhtml", "mocha", "moz-extension", "ms-appinstaller", "ms-excel",
    "ms-msdt", "ms-officecmd", "ms-powerpoint", "ms-settings", "ms-word", "news", "nntp", "onenote", "opera", "res",
    "resource", "rtsp", "search-ms", "sftp", "shell", "sip", "skype", "slack", "sms", "smb", "ssh", "steam", "svn",
    "teams", "tel", "telnet", "tg", "urn", "vbscript", "view-source", "vscode", "webcal", "whatsapp", "ws", "wss",
    "wyciwyg", "xmpp", "zoommtg",
)  # fmt: skip

NO_LINKS: Final = (
    *(f"{scheme}:x" for scheme in _SCHEMES),
    *(f"{scheme}://example.org/x" for scheme in _SCHEMES),
    "view-source:https://example.org/",
    "feed:https://example.org/",
    "jar:https://example.org/a.zip!/b.html",
    "blob:https://example.org/1234",
    "intent://example.org/#Intent;scheme=https;end",
    "ms-word:ofe|u|https://example.org/a.doc",
    "JaVaScRiPt:alert(1)",
    "javascript://example.org/%0aalert(1)",
    "javascript:https://example.org/",
    "data:text/html;base64,PHNjcmlwdD4=",
    "//example.org/",
    "///example.org/",
    "/\\example.org/",
    "\\\\example.org/",
    "/settings",
    "settings",
    "?q=1",
    "#part",
    "http:example.org",
    "http:/example.org",
    "https:///example.org",
    "https://",
    "https:\\\\example.org",
    "https://?example.org",
    "httpx://example.org",
    "xhttp://example.org",
    "%68ttp://example.org",
    "mailto",
    "mailtox:ada@example.org",
)
"""Programs, scripts, files, addresses within this server or relative to a page, and what browsers would mend."""
