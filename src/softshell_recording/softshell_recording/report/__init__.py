"""Reports of what was recorded: figures of one robot on one page."""
