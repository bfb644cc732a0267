"""The offline provider: no key, no network. It answers by fixed rules."""
