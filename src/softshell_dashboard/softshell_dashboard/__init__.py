"""The dashboard: a page in the browser to watch and drive a robot."""
