"""What do the operator's filters decide? The text files of a robot are read, checked and applied.

    process.conf ─┐
    filter.conf ──┼─▶ RobotDefinition ─▶ RobotFilters ─▶ rules of the decision points (`decide/filtering.py`)
    filterrules ──┘   definition.py      two chains      descriptions of pages (`harvest/journey.py`)

Two *chains* judge each resource. *Enumeration*: is it read for links? *Generation*: does it enter the corpus,
and what does its description say? Both have the same stages: MetaData (its URL is known), Data (its answer is
known), then Enumerate or Generate. A directive lets a resource go on, or denies it.

Pure except for `filter_directory.py`, which reads files, and `filter_plugins.py`, which finds installed
functions of other packages. A chain keeps no state between resources: what has to be counted over a whole
crawl is counted by the keeper.
"""
