"""Makes the pages of docs/reference from the code, for `./softshell reference`."""
