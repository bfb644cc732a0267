"""Token counts: offline in OpenAI's vocabularies, or by a provider that counts a request without replying to it.

Not here: estimates made from these counts (`app/domain/tokens`).
"""
