"""From stored documents (pdf, doc, docx, odt, rtf, epub, txt) to text and links.

    list of a harvester ─▶ record of the archive ─▶ kind ─▶ reader, in a sandbox ─▶ corpus, links

A document is *waiting* (listed, committed, not converted) or *converted*: its
line stands in the corpus, or the reason why it does not has been counted.
Readers are pure and may be killed at any moment; `converter.py` owns the files.
"""
