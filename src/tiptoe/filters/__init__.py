"""What do the operator's filters want? The text files of a robot, read, checked and carried out.

    process.conf ─┐
    filter.conf ──┼─▶ RobotDefinition ─▶ RobotFilters ─▶ rules of the decision points (`decide/filtering.py`)
    filterrules ──┘   definition.py      two chains      descriptions of pages (`harvest/journey.py`)

Two *chains* look at each resource. *Enumeration*: is it read for links? *Generation*: does it enter the
corpus, and what does its description say? Both go through the same stages: MetaData (its address is known),
Data (its answer is), then Enumerate or Generate. A directive lets a resource go on, or denies it.

Pure but for `filter_directory.py`, which reads files, and `filter_plugins.py`, which finds functions that
others have installed. A chain keeps nothing from one resource to the next: what has to be counted over a
whole crawl is a matter of the keeper.
"""
