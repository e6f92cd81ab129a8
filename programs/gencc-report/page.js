"use strict";
// The page is whole without this: it sorts and filters tables, and unfolds.
(() => {
  const make = (name, words) => Object.assign(document.createElement(name), { textContent: words });

  function sortBy(table, column, down) {
    const body = table.tBodies[0];
    const key = row => {
      const cell = row.cells[column];
      const value = cell.dataset.sort ?? cell.textContent;
      const number = Number(value);
      return value !== "" && !Number.isNaN(number) ? number : value.toLowerCase();
    };
    const order = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? 1 : -1);
    [...body.rows].sort((a, b) => order(key(a), key(b)) * (down ? -1 : 1)).forEach(row => body.append(row));
    [...table.tHead.rows[0].cells].forEach((cell, n) =>
      n === column ? cell.setAttribute("aria-sort", down ? "descending" : "ascending") : cell.removeAttribute("aria-sort"));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      const button = make("button", cell.textContent);
      button.type = "button";
      cell.replaceChildren(button);
      button.addEventListener("click", () => sortBy(table, column, cell.getAttribute("aria-sort") !== "descending"));
    });
    if (table.closest("#kernels") && table.tBodies[0].rows.length > 8) {
      const label = make("label", "Show rows with ");
      const input = make("input", "");
      input.type = "search";
      label.append(input);
      input.addEventListener("input", () => {
        for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(input.value.toLowerCase());
      });
      table.parentElement.before(label);
    }
  }

  const tools = document.getElementById("tools");
  const kernels = [...document.querySelectorAll("details.kernel")];
  if (tools && kernels.length) {
    for (const [words, open] of [["Unfold all kernels", true], ["Fold all", false]]) {
      const button = make("button", words);
      button.type = "button";
      button.addEventListener("click", () => kernels.forEach(kernel => { kernel.open = open; }));
      tools.append(button);
    }
  }

  // A link into a folded part unfolds what it lies in; paper has all kernels and frames.
  function reveal() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let node = target; node; node = node.parentElement) if (node.localName === "details") node.open = true;
    if (target) target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  reveal();
  let folded = [];
  addEventListener("beforeprint", () => { folded = [...document.querySelectorAll("details.kernel, details.frame")].filter(part => !part.open); folded.forEach(part => { part.open = true; }); });
  addEventListener("afterprint", () => folded.forEach(part => { part.open = false; }));
})();
