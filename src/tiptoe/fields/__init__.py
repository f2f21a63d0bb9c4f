"""Fields of documents, by the operator's own rules.

    rule file → rules → book of rules, by host and path → values of a page → `fields` in its line

Pure: texts and trees in, values out. Rules come from the operator and pages from anybody, so whatever a
selector does is counted in steps of a `WorkBudget` and ends with it, on the worst of pages too.
"""
