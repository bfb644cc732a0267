"""The offline provider. It needs neither key nor network, and answers by fixed rules."""
