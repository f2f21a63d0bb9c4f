// Live figures and plots of one crawl.
"use strict";
document.addEventListener("DOMContentLoaded", async () => {
  const page = document.querySelector("#crawl[data-live]");
  if (!page) return;
  const { count, rate, put, listen } = window.tiptoe;
  const WINDOW = 1800;
  const CAUSES = {
    rest: "address rests", peace: "asked for peace", trouble: "trouble", robots: "no robots.txt", lookup: "name lookup",
    lookup_again: "lookup again", deferred: "to be repeated", blocked: "blocked", revisit: "not due yet", operator: "paused",
    disk: "disk full", line: "line down", restart: "rest after restart", names: "name server", harvesters: "no harvester", limit: "limit",
  };
  const color = (number) => getComputedStyle(document.documentElement).getPropertyValue(`--plot-${number}`).trim();
  const PLOTS = {
    pages: [["pages", "pace", 1], ["requests", "request_pace", 2]],
    text: [["characters", "text_pace", 1]],
    failed: [["failed", "failed_pace", 3]],
  };
  let samples = [];
  let causes = [];
  const plots = {};

  function seriesOf(name) {
    if (name === "waits") return causes.map((cause, at) => [CAUSES[cause] ?? cause, cause, (at % 6) + 1]);
    return PLOTS[name];
  }
  function dataOf(name) {
    const times = samples.map((one) => one.at);
    if (name === "waits") return [times, ...causes.map((cause) => samples.map((one) => one.waits[cause] ?? 0))];
    return [times, ...PLOTS[name].map(([, key]) => samples.map((one) => one[key]))];
  }
  function draw(name) {
    const place = document.querySelector(`[data-plot="${name}"]`);
    if (!place || place.clientWidth === 0) return;
    plots[name]?.destroy();
    const dim = getComputedStyle(document.documentElement).getPropertyValue("--dim").trim();
    const line = getComputedStyle(document.documentElement).getPropertyValue("--line").trim();
    const axis = { stroke: dim, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const series = seriesOf(name).map(([label, , number]) => ({
      label, stroke: color(number), width: 1.8, points: { show: false },
      fill: name === "waits" ? undefined : color(number) + "1f", value: (_, value) => (value == null ? "–" : name === "waits" ? count(value) : rate(value)),
    }));
    plots[name] = new uPlot({
      width: place.clientWidth, height: 210, series: [{ value: (_, at) => (at == null ? "–" : new Date(at * 1000).toLocaleTimeString()) }, ...series],
      axes: [{ ...axis, space: 80, values: (_, times) => times.map((at) => new Date(at * 1000).toTimeString().slice(0, 8)) }, { ...axis, size: 58, values: (_, values) => values.map((value) => (value >= 10000 ? `${Math.round(value / 1000)}k` : `${value}`)) }],
      scales: { y: { range: (_, low, high) => [0, Math.max(1, (high ?? 0) * 1.1)] } },
      legend: { live: true }, cursor: { y: false },
    }, dataOf(name), place);
    showLast(plots[name]);
  }
  function showLast(plot) {
    if (plot.cursor.idx == null && samples.length) plot.setLegend({ idx: samples.length - 1 }, false);
  }
  const drawAll = () => { for (const name of ["pages", "text", "failed", "waits"]) draw(name); };
  function learn(sample) {
    samples.push(sample);
    while (samples.length && samples[0].at < sample.at - WINDOW) samples.shift();
    const fresh = Object.keys(sample.waits).filter((cause) => !causes.includes(cause));
    if (fresh.length) { causes = [...causes, ...fresh]; draw("waits"); }
    for (const [name, plot] of Object.entries(plots)) { plot.setData(dataOf(name)); showLast(plot); }
  }

  try {
    const answer = await fetch(page.dataset.samples, { headers: { Accept: "application/json" } });
    if (answer.ok) samples = await answer.json();
  } catch { samples = []; }
  if (samples.length) samples = samples.filter((one) => one.at > samples.at(-1).at - WINDOW);
  causes = [...new Set(samples.flatMap((one) => Object.keys(one.waits)))];
  drawAll();
  let width = 0;
  new ResizeObserver(() => { if (page.clientWidth !== width) { width = page.clientWidth; drawAll(); } }).observe(page);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);

  // Another state has other buttons. Nobody who has a menu open, or types, is disturbed: their turn comes later.
  async function renewHead() {
    const head = document.querySelector(".head");
    const answer = await fetch(page.dataset.page);
    if (!answer.ok || window.tiptoe.isLeaving) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (head.querySelector("details[open]") || head.contains(document.activeElement)) { window.setTimeout(renewHead, 1000); return; }
    head.replaceWith(fresh.querySelector(".head"));
    const plotted = document.querySelector("#plots");
    const wasHidden = plotted.hidden;
    plotted.hidden = fresh.querySelector("#plots")?.hidden ?? true;
    if (wasHidden && !plotted.hidden) drawAll();
    for (const id of ["#crawl-tiles", "#crawl-body"]) {
      const made = fresh.querySelector(id);
      if (made) document.querySelector(id).replaceChildren(...made.childNodes);
    }
  }

  let state = page.dataset.state;
  let refreshed = Date.now();
  listen(page.dataset.live, (event) => {
    if (window.tiptoe.isLeaving) return;
    if (event.summary.state !== state) {
      state = event.summary.state;
      if (!document.querySelector("#crawl-body")) { window.location.reload(); return; }
      renewHead();
    }
    const one = event.summary;
    put(page, "pace", one.is_alive ? rate(one.pace) : "–");
    for (const name of ["pages", "documents", "text_chars", "hosts", "requests", "failed"]) put(page, name, count(one[name]));
    for (const name of ["queued", "leased", "due", "harvesters", "open_visits"]) put(page, name, count(event[name]));
    const list = document.querySelector("#waits");
    if (list && event.waits.length) {
      list.replaceChildren(...event.waits.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
    }
    if (event.sample && event.sample.at > (samples.at(-1)?.at ?? 0)) learn(event.sample);
    // Tables are made by the server; now and then they are asked for anew.
    const body = document.querySelector("#crawl-body");
    if (body && one.is_alive && Date.now() - refreshed > 5000 && !body.contains(document.activeElement)) {
      refreshed = Date.now();
      window.htmx.ajax("GET", page.dataset.page, { target: body, swap: "innerHTML" });
    }
  });
});
