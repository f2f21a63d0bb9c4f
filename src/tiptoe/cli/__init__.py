"""The commands, one module each: they read settings, call `compose`, and print."""
