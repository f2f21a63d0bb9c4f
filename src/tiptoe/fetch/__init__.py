"""Ask the web, and say what came of it.

    name ──resolve──▶ checked address ──client──▶ Answer | Failed ──coding──▶ plain bytes
             guard                      transfers     outcome

This package decides nothing: not whether a URL may be asked (`robots` only
reads the rules), not when, not whether again. It follows no redirect, keeps no
cookie and connects only to an address that was checked. What the web does
comes back as a value, bounded in bytes and seconds by `limits`.
"""
