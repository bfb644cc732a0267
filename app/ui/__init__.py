"""The page: its appearance, components and addresses, written in Python, with the TypeScript that they need.

Its behaviour is in `app.state`. This package does not depend on stores, runs or providers.
"""
