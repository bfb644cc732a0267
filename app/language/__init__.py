"""The languages of the screen: a catalogue of texts for each, and which of them a reader gets.

Not the texts of the API, of exports and of the log, which are English, and not what models are told.
"""
