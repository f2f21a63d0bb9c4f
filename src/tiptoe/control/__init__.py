"""One place to run crawls from: a web application for people, an HTTP API for programs.

    request ─▶ web_security ─▶ page_route / api_operation ─▶ pages/… , api/…  ─▶ crawl_actions ─▶ a crawl
               hosts, headers,  who asks, may they, is it      what is wanted      the operator's socket,
               sizes, time      really them (CSRF)                                 `tiptoe crawl` processes

Its own data are in one SQLite file (`control_store`); crawls remain directories of their own, and go on when
this server ends. Nothing that comes from the web is ever treated as markup here: `shown_text` cleans whatever
a template prints, and the templates escape it."""
