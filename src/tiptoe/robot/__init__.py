"""A crawl on some machine, run from a control server.

    control server ◀── hello, poll, report, descriptions ── control_line
                                                               │
          robot_process: five loops, each a few lines of I/O around the parts below
          ├─ robot_journal     what must survive a crash: configuration, commands, progress of sending
          ├─ robot_crawl       the crawl in DIR/crawl, controlled by the commands
          ├─ batch_plan        which lines go into the next batch (pure)
          ├─ line_patience     when to call again after a failure (pure)
          └─ crawl_wish        whether the crawl should be started now (pure)

The robot opens the connection, so it can run behind any router. If the server is unavailable, the crawl goes
on unaffected: commands and configurations wait on the server, reports would be outdated anyway, and
descriptions wait in the files of the crawl."""
