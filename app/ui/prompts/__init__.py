"""The page of prompts: the list and the form of one."""
