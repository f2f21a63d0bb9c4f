"""From stored documents (pdf, doc, docx, odt, rtf, epub, txt) to text and links.

    list of a harvester ─▶ record of the archive ─▶ kind ─▶ reader, in a sandbox ─▶ corpus, links

A document is *waiting* (listed, committed, not converted) or *converted*: it has a
line in the corpus, or the reason why not has been counted.
Readers are pure and may be killed at any moment; `converter.py` writes the files.
"""
