"""The shell around the frontier: sockets, clocks, processes.

`keeper` answers harvesters and `operator_desk` answers operators, `roster` knows which
harvesters are connected and whose lease still holds, `supervisor` starts harvesters on
this machine and replaces those that die. The frontier makes the decisions; nothing here
waits for the web.
"""
