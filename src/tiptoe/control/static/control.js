// What every page does with a script, and can do without: local times, copying, asking before something is removed.
"use strict";
(() => {
  const form = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hour12: false });

  function localTimes(root) {
    for (const time of root.querySelectorAll("time[datetime]:not([data-done])")) {
      const moment = new Date(time.dateTime);
      if (Number.isNaN(moment.getTime())) continue;
      time.title = time.textContent;
      time.textContent = form.format(moment);
      time.dataset.done = "";
    }
  }

  // Fields of closed sections: without scripts they are there at once, with them after the first paint. If this
  // script is lost they do not come along with their form, and the server leaves them as they are.
  function readClosed() {
    for (const closed of document.querySelectorAll("details.settings > noscript")) closed.outerHTML = closed.textContent;
  }
  // Whoever is faster than that misses nothing: these come before a form is read, or a section shown.
  for (const name of ["submit", "input", "click"]) document.addEventListener(name, readClosed, { capture: true });

  document.addEventListener("submit", (event) => {
    const asked = event.target.dataset.confirm || event.submitter?.dataset.confirm;
    if (asked && !window.confirm(asked)) { event.preventDefault(); return; }
    // An answer is on its way: nothing may load the page anew and lose it.
    if (event.target.method === "post") window.tiptoe.isLeaving = true;
    // What takes seconds says so.
    const button = event.submitter;
    if (button?.dataset.busy && event.target.querySelector("[data-slow]:checked")) {
      button.dataset.said = button.textContent;
      button.textContent = button.dataset.busy;
    }
  });
  window.addEventListener("pageshow", () => {
    window.tiptoe.isLeaving = false;
    for (const button of document.querySelectorAll("[data-said]")) button.textContent = button.dataset.said;
  });
  // Where something could not be done, the form is still there, with what was typed.
  document.addEventListener("click", (event) => { if (event.target.closest("[data-back]")) history.back(); });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const source = document.querySelector(button.dataset.copy);
    source.select?.();
    try { await navigator.clipboard.writeText(source.value ?? source.textContent); } catch { document.execCommand("copy"); }
    button.textContent = "Copied";
  });
  // Finds fields by their words; sections with a find are opened.
  document.addEventListener("input", (event) => {
    const filter = event.target.dataset.filter;
    if (!filter) return;
    const words = event.target.value.trim().toLowerCase();
    for (const field of document.querySelectorAll(filter)) {
      const name = field.querySelector("[name]")?.name ?? "";
      field.hidden = words !== "" && !`${name} ${field.textContent}`.toLowerCase().includes(words);
    }
    for (const section of document.querySelectorAll("details.settings")) {
      const has = section.querySelector(".field:not([hidden])") !== null;
      section.hidden = !has;
      if (words) section.open = has;
    }
  });
  document.addEventListener("focusin", (event) => { if (event.target.matches("[data-select]")) event.target.select(); });
  document.addEventListener("htmx:load", (event) => localTimes(event.detail.elt));
  document.addEventListener("DOMContentLoaded", () => {
    localTimes(document);
    requestAnimationFrame(() => setTimeout(readClosed));
    for (const button of document.querySelectorAll("[data-back]")) button.hidden = history.length < 2;
    // On a telephone the tab of this page may lie beyond the edge.
    const tab = document.querySelector(".tabs [aria-current]");
    if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 40;
  });

  // Figures as the server writes them: 12 345, 1.2 GB.
  window.tiptoe = {
    isLeaving: false,
    count: (value) => Math.round(value).toLocaleString("en").replaceAll(",", " "),
    rate: (value) => (value && value < 0.095 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : window.tiptoe.count(value)),
    put(root, name, text) {
      for (const spot of root.querySelectorAll(`[data-figure="${name}"]`)) if (spot.textContent !== text) spot.textContent = text;
    },
    // Listens to a stream while the page can be seen.
    listen(url, heard) {
      let source = null;
      const open = () => { source ??= new EventSource(url); source.onmessage = (event) => heard(JSON.parse(event.data)); };
      const close = () => { source?.close(); source = null; };
      document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
      window.addEventListener("pagehide", close);
      window.addEventListener("pageshow", (event) => { if (event.persisted) open(); });
      if (!document.hidden) open();
    },
  };
})();
