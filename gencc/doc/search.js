// The search field of every page: finds what index.js lists. No library, no server.
"use strict";
(() => {
    const field = document.getElementById("find"), list = document.getElementById("found");
    const up = document.body.dataset.up, MOST = 40;
    let chosen = -1;

    // How well an entry fits: 0 not at all. Names before other words, beginnings before middles.
    function fit(entry, words) {
        const name = entry[0].toLowerCase(), more = entry[4].toLowerCase();
        let sum = 0;
        for (const word of words) {
            const tokens = more.split(/[^\w.]+/);
            const one = name === word ? 100 : tokens.includes(word) ? 80 : name.startsWith(word) ? 60
                : tokens.some(t => t.startsWith(word)) ? 40 : name.includes(word) ? 30
                : (entry[2] + " " + entry[1]).toLowerCase().includes(word) ? 10 : 0;
            if (!one) return 0;
            sum += one;
        }
        return sum + (entry[1] === "instruction" ? 5 : 0) - Math.min(name.length, 40) / 50;
    }

    function show() {
        const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
        list.textContent = "";
        list.hidden = !words.length;
        chosen = -1;
        if (!words.length) return;
        const hits = entries.map(e => [fit(e, words), e]).filter(h => h[0] > 0);
        hits.sort((a, b) => b[0] - a[0] || (a[1][0] < b[1][0] ? -1 : 1));
        for (const [, [name, kind, of, address]] of hits.slice(0, MOST)) {
            const item = document.createElement("li"), link = document.createElement("a");
            const title = document.createElement("b"), where = document.createElement("span");
            title.textContent = name;
            where.textContent = kind + (of ? " · " + of : "");
            link.href = up + address;
            link.append(title, where);
            link.addEventListener("click", () => { list.hidden = true; });
            item.append(link);
            list.append(item);
        }
        if (hits.length > MOST || !hits.length) {
            const rest = document.createElement("li");
            rest.className = "none";
            rest.textContent = hits.length ? `and ${hits.length - MOST} more` : "nothing found";
            list.append(rest);
        }
    }

    function choose(step) {
        const links = list.querySelectorAll("a");
        if (!links.length) return;
        if (chosen >= 0) links[chosen].classList.remove("on");
        chosen = (chosen + step + links.length) % links.length;
        links[chosen].classList.add("on");
        links[chosen].scrollIntoView({ block: "nearest" });
    }

    field.addEventListener("input", show);
    field.addEventListener("focus", show);
    field.addEventListener("keydown", event => {
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            choose(event.key === "ArrowDown" ? 1 : -1);
            event.preventDefault();
        } else if (event.key === "Enter") {
            const links = list.querySelectorAll("a");
            if (links.length) links[Math.max(chosen, 0)].click();
        } else if (event.key === "Escape") {
            list.hidden = true;
            field.blur();
        }
    });
    document.addEventListener("keydown", event => {
        if (event.key !== "/" || event.target.matches("input, textarea")) return;
        field.focus();
        event.preventDefault();
    });
    document.addEventListener("click", event => {
        if (!event.target.closest(".find")) list.hidden = true;
    });

    // `?q=…` in a page's address searches at once.
    const asked = new URLSearchParams(location.search).get("q");
    if (asked) {
        field.value = asked;
        show();
    }
})();
