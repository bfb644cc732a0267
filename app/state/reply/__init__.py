"""What can be done with one pair: its marks, its versions, answering it again. Not the list of pairs (`transcript`)."""
