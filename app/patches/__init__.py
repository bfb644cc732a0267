"""State that travels as patches: a browser is sent only the difference from what it has already.

    app = rx.App()
    send_patches(app)          # app.patches.namespace; the server's half
    rx.Config(plugins=[PatchesPlugin()])  # app.patches.plugin; the page's half

A state declares nothing. A var travels as patches if its value is a tuple, a list or a frozen dataclass whose parts
cannot change in place: scalars, enums, frozen dataclasses and tuples of these (`values`). Every other value travels as
Reflex sends it. Handlers assign vars as usual:

    pairs: rx.Field[tuple[PairView, ...]] = rx.field(())

    self.pairs = (*self.pairs[:-1], replace(self.pairs[-1], reply_text=text))

sends the appended text alone. Make the new value from parts of the old one: an identical part is not compared.

This package knows Reflex (`namespace`, `events`, `plugin`) and nothing of Inview. Why it exists and what it rests on:
docs/decisions/0053.
"""
