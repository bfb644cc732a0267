"""One pair as it is drawn: request, reply, how it ended, its line of figures and marks. Not the list (`transcript`)."""
