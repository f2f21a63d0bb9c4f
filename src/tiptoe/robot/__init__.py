"""A crawl on some machine, run from a control server.

    control server ◀── hello, poll, report, descriptions ── control_line
                                                               │
          robot_process: five loops, each a few lines of I/O around the parts below
          ├─ robot_journal     what must outlive a crash: configuration, commands, how far was sent
          ├─ robot_crawl       the crawl in DIR/crawl, told what the commands say
          ├─ batch_plan        which lines go into the next batch (pure)
          ├─ line_patience     when to call again after a failure (pure)
          └─ crawl_wish        whether the crawl should be started now (pure)

The robot calls, so it may live behind any router. A server that is away changes nothing for the crawl:
commands and configurations wait there, reports are outdated anyway, descriptions wait in the files of the
crawl."""
