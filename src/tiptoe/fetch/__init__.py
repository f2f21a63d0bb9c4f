"""Make requests to the web, and report their outcomes.

    name ──resolve──▶ checked address ──client──▶ Answer | Failed ──coding──▶ plain bytes
             guard                      transfers     outcome

This package makes no decisions: not whether a URL may be requested (`robots` only
reads the rules), not when, not whether again. It follows no redirects, keeps no
cookies and connects only to addresses that were checked. What the web answers
is returned as a value, bounded in bytes and seconds by `limits`.
"""
