"""The operations of the API, a module for each group."""
