// The widget around the board: clicks go to Python, which answers with a view to show. It follows the modules of the
// board in one module, where `createBoard` and `h` are defined. It appears once Python has answered; without a kernel,
// as in an exported page, only the picture above it is shown.

const COMMANDS = [
  ["undo", "Undo"],
  ["new_game", "New game"],
  ["swap_seats", "Swap seats"],
  ["toggle_values", "Values"],
];

const WIDGET_STYLE = `
.cx-widget {
  --cx-text: var(--jp-content-font-color1, var(--vscode-editor-foreground));
  --cx-faint: var(--jp-content-font-color2, var(--vscode-descriptionForeground));
  --cx-surface: var(--jp-layout-color0, var(--vscode-editor-background));
  --cx-accent: var(--jp-brand-color1);
  --cx-height: 420px;
  color-scheme: light dark;
  max-width: 560px;
  padding: 4px;
}
.cx-widget .cx-commands { display: flex; margin-top: 8px; flex-wrap: wrap; gap: 6px; justify-content: center; }
.cx-widget .cx-commands button {
  background: none; border: 1px solid currentColor; border-radius: 6px; color: inherit;
  cursor: pointer; font: 13px system-ui, sans-serif; padding: 4px 10px;
}
.cx-widget .cx-commands button[aria-pressed="true"] { outline: 2px solid currentColor; }
.cx-widget .cx-commands button:disabled { cursor: default; opacity: 0.5; }
`;

function render({ model, el }) {
  const style = h("style", {}, WIDGET_STYLE);
  const widget = h("div", {
    class: "cx-widget", hidden: true, onkeydown: event => event.stopPropagation(),
    "data-lm-suppress-shortcuts": "true", // a digit must play, not change the cell
  }, style);
  const board = createBoard(widget, {
    onMove: action => model.send({ command: "play", action }),
    label: model.get("view").title,
  });
  const buttons = Object.fromEntries(COMMANDS.map(([command, words]) =>
    [command, h("button", { type: "button", onclick: () => model.send({ command }) }, words)]));
  widget.append(h("div", { class: "cx-commands" }, ...Object.values(buttons)));
  el.append(widget);

  const show = () => {
    const view = model.get("view");
    board.update(view);
    buttons.undo.disabled = !view.undoable;
    buttons.swap_seats.hidden = !view.opponent;
    buttons.toggle_values.setAttribute("aria-pressed", String(view.values_shown));
  };
  const takePlace = ({ picture }) => {
    style.textContent = `${WIDGET_STYLE} .${picture} { display: none; }`;
    widget.hidden = false;
  };
  model.on("change:view", show);
  model.on("msg:custom", takePlace);
  show();
  model.send({ command: "greet" });
  return () => {
    model.off("change:view", show);
    model.off("msg:custom", takePlace);
    board.destroy();
  };
}

export default { render };
