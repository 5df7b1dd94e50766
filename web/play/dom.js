// html() and svg() create an element in one call: html("p", { class: "note" }, "text", child), svg("rect", { x: 1 }).

const make = (create) => (tag, attributes = {}, ...children) => {
  const element = create(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat());
  return element;
};

export const html = make((tag) => document.createElement(tag));
export const svg = make((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
