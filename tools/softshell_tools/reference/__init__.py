"""The pages of docs/reference, made from the code: `./softshell reference` writes them."""
