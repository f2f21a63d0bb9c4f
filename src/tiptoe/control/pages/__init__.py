"""The pages, one module per group: functions from a request to what is shown."""
