// For pictures inlined by values.py: shows the value of the part under the pointer, or of the part that the arrow keys reach.
for (const picture of document.querySelectorAll(".values > svg")) {
  const parts = [...picture.querySelectorAll("title")].map((title) => title.parentElement);
  const output = picture.nextElementSibling;
  let current = null;

  function show(part) {
    current?.classList.remove("gp-now");
    current = part;
    current.classList.add("gp-now");
    output.textContent = part.querySelector("title").textContent;
  }

  function middle(part) {
    const box = part.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  // The nearest part in a direction. Distances across the direction count more than those along it.
  function next(dx, dy) {
    const [x, y] = middle(current);
    let best = null, least = Infinity;
    for (const part of parts) {
      const [px, py] = middle(part);
      const along = (px - x) * dx + (py - y) * dy, across = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (along > 1 && along + 4 * across < least) [best, least] = [part, along + 4 * across];
    }
    return best;
  }

  const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  picture.addEventListener("pointerover", (event) => {
    const part = event.target.closest(":has(> title)");
    if (part && parts.includes(part)) show(part);
  });
  picture.addEventListener("focus", () => current ?? show(parts[0]));
  picture.addEventListener("keydown", (event) => {
    const direction = directions[event.key];
    if (!direction) return;
    event.preventDefault();
    const part = next(...direction);
    if (part) show(part);
  });
}
