// Keeps the figures of all crawls current; when a crawl changes its state, the list is asked for anew.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const list = document.querySelector("#crawls[data-live]");
  if (!list) return;
  const { count, rate, put, listen } = window.tiptoe;
  let known = "";
  listen(list.dataset.live, (crawls) => {
    const shape = crawls.map((one) => [one.name, one.state, ...one.attention.map((it) => it.message)].join("|")).join("\n");
    if (known && shape !== known) window.htmx.ajax("GET", "/", { target: list, swap: "innerHTML" });
    known = shape;
    for (const one of crawls) {
      const row = list.querySelector(`tr[data-crawl="${CSS.escape(one.name)}"]`);
      if (!row) continue;
      put(row, "pace", one.is_alive ? rate(one.pace) : "–");
      for (const name of ["pages", "text_chars", "hosts", "queued", "failed"]) put(row, name, count(one[name]));
    }
    const sum = (name) => crawls.reduce((total, one) => total + one[name], 0);
    put(document, "all-alive", count(crawls.filter((one) => one.is_alive).length));
    put(document, "all-pace", rate(sum("pace")));
    put(document, "all-text-pace", rate(sum("text_pace")));
    put(document, "all-pages", count(sum("pages")));
    put(document, "all-text", count(sum("text_chars")));
  });
});
