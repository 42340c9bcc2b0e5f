"""Where the base, the links and the soft manipulators are, from what is measured."""
