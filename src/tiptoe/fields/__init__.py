"""Fields of documents, by the operator's own rules.

    rule file → rules → book of rules, by host and path → values of a page → `fields` in its line

Pure: texts and trees in, values out. Rules come from the operator but pages from anybody. So the work of a
selector is counted in steps of a `WorkBudget` and ends when that is used up, even on the worst pages.
"""
