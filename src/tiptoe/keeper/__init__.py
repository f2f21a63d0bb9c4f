"""The shell around the frontier: sockets, clocks, processes.

`service` answers harvesters and operators, `roster` knows who is there and
whose lease still holds, `supervisor` starts harvesters on this machine and replaces
those that die. Decisions are the frontier's; nothing here waits for the web.
"""
