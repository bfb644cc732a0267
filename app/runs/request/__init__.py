"""From what is stored to the request that would be sent: pairs, sizes, attachments, cache plan, bytes.

Not commands, and nothing that takes a workbench: these modules are parts of it. Choosing what is in view is in
`runs/send`.
"""
