"""Sends state as patches: a browser gets only the differences from the values that it already has.

    app = rx.App()
    send_patches(app)          # app.patches.namespace: the server's part
    rx.Config(plugins=[PatchesPlugin()])  # app.patches.plugin: the page's part

A state needs no declaration for this. A var is sent as patches if its value is a tuple, a list or a frozen dataclass
whose parts cannot change in place: scalars, enums, frozen dataclasses and tuples of these (`values.py`). Every other
value is sent whole, but a scalar only if it differs from the one that was sent last. Handlers assign vars as usual:

    pairs: rx.Field[tuple[PairView, ...]] = rx.field(())

    self.pairs = (*self.pairs[:-1], replace(self.pairs[-1], reply_text=text))

This sends only the appended text. Make the new value from parts of the old one: an identical part is not compared.
A background handler that mostly adds text can send the text without entering the state's lock: see `append` in
`namespace.py`.

This package depends on Reflex (`namespace`, `events`, `plugin`) and not on Inview. Reasons and assumptions:
docs/decisions/0053.
"""
