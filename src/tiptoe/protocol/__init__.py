"""What keeper, harvesters and operators say to each other, and how it travels.

Below all of them: whoever speaks needs to know nothing of whoever listens.
"""
