"""The gateway: OpenAI's and Anthropic's APIs, as far as existing clients need them to ask a model or an agent.

Not Inview's own API (`api/resources`), and not what becomes of a call (`runs/gateway`).
"""
