"""What may the operator decide?

One declaration per setting (`schema`); the file, the command-line option, the
listing of `tiptoe config`, the reference page and the web form are derived from it.

    declaration (schema) ─┬─▶ layers   default < remembered < file < command line ─▶ Settings
                          ├─▶ options  what a command line offers
                          ├─▶ tomlfile the file, read and written
                          └─▶ reference docs/reference/settings.md

Reads one file when told to; uses no network, keeps no state, knows no crawler.
"""
