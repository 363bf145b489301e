"use strict";
(() => {
  const search = document.getElementById("search");
  const filters = [...document.querySelectorAll(".filter")];
  const roots = [...document.querySelectorAll("details.root")];
  const shown = document.getElementById("shown");

  // a root stays if every word of the search occurs in it and its verdict is not switched off
  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdicts = filters.filter((f) => f.getAttribute("aria-pressed") === "true").map((f) => f.dataset.verdict);
    let count = 0;
    for (const root of roots) {
      const stays = verdicts.includes(root.dataset.verdict) && words.every((w) => root.dataset.words.includes(w));
      root.hidden = !stays;
      const row = document.querySelector(`.matrix tr[data-root="${root.dataset.root}"]`);
      if (row) row.hidden = !stays;
      count += stays ? 1 : 0;
    }
    shown.textContent = count === roots.length ? "" : `${count} of ${roots.length} roots`;
  };
  search.addEventListener("input", apply);
  for (const filter of filters) {
    filter.addEventListener("click", () => {
      filter.setAttribute("aria-pressed", String(filter.getAttribute("aria-pressed") !== "true"));
      apply();
    });
  }

  const all = document.getElementById("all");
  all.addEventListener("click", () => {
    const open = roots.some((root) => !root.open);
    for (const root of roots) root.open = open;
    all.textContent = open ? "Close all" : "Open all";
  });

  // most passes change nothing
  const every = document.getElementById("every");
  const unchanged = [...document.querySelectorAll(".passes tr.same")];
  const showEvery = (yes) => {
    every.setAttribute("aria-pressed", String(yes));
    for (const row of unchanged) row.hidden = !yes;
  };
  every.addEventListener("click", () => showEvery(every.getAttribute("aria-pressed") !== "true"));
  showEvery(false);

  // a link into a closed root opens it
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    const root = target && target.closest("details.root");
    if (!root) return;
    root.hidden = false;
    root.open = true;
    if (target.hidden) showEvery(true);
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  const theme = document.getElementById("theme");
  const remembered = () => { try { return localStorage.getItem("optverify-theme"); } catch { return null; } };
  if (remembered()) document.documentElement.dataset.theme = remembered();
  theme.addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try { localStorage.setItem("optverify-theme", next); } catch { /* a file may have no storage */ }
  });
})();
