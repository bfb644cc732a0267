"""The offline provider, without key and network. It answers by fixed rules."""
