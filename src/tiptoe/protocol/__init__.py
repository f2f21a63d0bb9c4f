"""The messages between keeper, harvesters and operators, and how they are sent.

This package is below all of them: a sender does not depend on the receiver's code.
"""
