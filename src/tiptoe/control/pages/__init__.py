"""The pages, a module for each group: functions from what was asked to what is shown."""
