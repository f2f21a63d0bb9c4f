"""What is a paragraph, and what is not text at all?

The rules are data (`elements`) and string processing (`paragraphs`); the tree they
are applied to belongs to `tiptoe.parse`, which this package may not import.
`main_content` tells which paragraphs are the main text of a page.
"""
