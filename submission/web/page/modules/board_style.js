/** The style sheet of a board, within its shadow root. */

export const STYLE = `
:host { display: block; }
:host, .cx-board {
  --text: var(--cx-text, light-dark(#221b12, #f6efe4));
  --faint: var(--cx-faint, light-dark(#695d4d, #b9ad9c));
  --surface: var(--cx-surface, light-dark(#ffffff, #1f1c17));
  --accent: var(--cx-accent, light-dark(#1d4fbf, #8fb6ff));
  --frame: var(--cx-frame, light-dark(#2259d6, #2a58c4));
  --edge: var(--cx-edge, light-dark(#173f9e, #1b3c8c));
  --hole: var(--cx-hole, light-dark(#faf5ec, #15130f));
  --ink: var(--cx-ink, #2a1206);
  --first: var(--cx-first, #e23b2e);
  --second: var(--cx-second, #fbc71b);
  --win: var(--cx-win, light-dark(#14703f, #63d297));
  --draw: var(--cx-draw, light-dark(#5b5f6b, #b3b8c6));
  --loss: var(--cx-loss, light-dark(#a0254f, #ff9bb8));
}
.cx-board {
  box-sizing: border-box;
  color: var(--text);
  font: var(--cx-size, 14px)/1.2 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  margin-inline: auto;
  padding-inline: 18px;
  position: relative;
  width: min(100%,
    36px + var(--cx-height, 70vh) * var(--columns) / var(--high), 36px + var(--cx-cell, 88px) * var(--columns));
}
.cx-board { --foot: var(--cx-foot, 4.7em); }
.cx-board.cx-narrow { --foot: var(--cx-foot, 3.4em); }
.cx-board *, .cx-board *::before { box-sizing: border-box; }
.cx-field { display: grid; position: relative; }
.cx-column .cx-field { grid-template-rows: auto var(--foot); }
.cx-field > svg {
  display: block; grid-area: 1 / 1; height: auto; overflow: visible; pointer-events: none; width: 100%;
}
.cx-bar {
  background: var(--second); border-radius: 5px; bottom: 0; box-shadow: 0 0 0 1px color-mix(in srgb, var(--text) 35%, transparent);
  left: -18px; opacity: 0; overflow: hidden; position: absolute; top: 0; transition: opacity 0.2s; width: 10px;
}
.cx-column .cx-bar { bottom: var(--foot); top: calc((100% - var(--foot)) * 0.62 / var(--high)); }
.cx-bar.cx-known { opacity: 1; }
.cx-bar::before {
  background: var(--first); bottom: 0; content: ""; height: var(--share); left: 0; position: absolute; right: 0;
  transition: height 0.4s ease-out;
}
.cx-bar::after {
  background: var(--surface); content: ""; height: 2px; left: 0; position: absolute; right: 0; top: calc(50% - 1px);
}
.cx-places { display: grid; inset: 0; position: absolute; }
.cx-column .cx-places { grid-template-columns: repeat(var(--columns), 1fr); }
.cx-cell .cx-places {
  bottom: calc(100% * 0.07 / var(--high)); grid-template: repeat(var(--rows), 1fr) / repeat(var(--columns), 1fr);
}
button {
  align-items: center;
  appearance: none;
  background: none;
  border: 0;
  border-radius: 8px;
  color: inherit;
  cursor: pointer;
  display: flex;
  flex-direction: column;
  font: inherit;
  justify-content: flex-end;
  margin: 0;
  min-width: 0;
  outline-offset: -2px;
  overflow: hidden;
  padding: 0;
  touch-action: manipulation;
}
button[aria-disabled="true"] { cursor: default; }
button:focus-visible { box-shadow: inset 0 0 0 4px var(--surface); outline: 3px solid var(--accent); }
.cx-cell button { justify-content: center; }
.cx-foot {
  align-items: center; display: flex; flex: none; flex-direction: column; height: var(--foot); padding-top: 0.15em;
  pointer-events: none; width: 100%;
}
.cx-number { color: var(--faint); font-size: 1.05em; font-weight: 600; line-height: 1.39; }
.cx-column.cx-narrow .cx-number { font-size: 0.64em; letter-spacing: -0.03em; line-height: 2.2; }
.cx-value {
  --tone: var(--draw);
  align-content: center;
  border-radius: 8px;
  box-shadow: inset 0 0 0 1.5px var(--tone);
  color: var(--tone);
  display: grid;
  font-size: 0.82em;
  font-variant-numeric: tabular-nums;
  height: 3.2em;
  letter-spacing: -0.03em;
  justify-items: center;
  line-height: 1.15;
  min-width: calc(100% - 4px);
  overflow: hidden;
  white-space: nowrap;
}
.cx-value[data-kind="win"] { --tone: var(--win); }
.cx-value[data-kind="loss"] { --tone: var(--loss); }
.cx-value[data-kind="unknown"] { --tone: var(--faint); }
.cx-value b { font-weight: 700; }
.cx-value[data-exact="false"] { box-shadow: inset 0 0 0 1px color-mix(in srgb, var(--tone) 45%, transparent); font-style: italic; }
.cx-value[data-best="true"] { background: var(--tone); color: var(--surface); }
.cx-value[data-best="true"][data-kind="loss"] { background: none; box-shadow: inset 0 0 0 3px var(--tone); color: var(--tone); }
.cx-value[data-trap="true"] { box-shadow: none; outline: 2px dashed var(--tone); outline-offset: -2px; }
.cx-value i { font-style: normal; }
.cx-column:not(.cx-roomy, .cx-narrow) .cx-value:not([data-kind="unknown"]) i { display: none; }
.cx-column:not(.cx-roomy) .cx-value b { display: grid; font-size: 0; justify-items: center; }
.cx-column:not(.cx-roomy) .cx-value b span { font-size: max(12px, 0.78rem); }
.cx-roomy .cx-value { font-size: 0.95em; height: 2.76em; }
.cx-narrow .cx-value { height: 1.9em; }
.cx-board.cx-narrow .cx-value b { display: none; }
.cx-cell .cx-value { background: var(--surface); box-shadow: none; height: auto; min-width: 0; padding: 0.3em 0.6em; }
.cx-cell .cx-value[data-best="true"] { background: var(--tone); color: var(--surface); }
.cx-cell .cx-foot { height: auto; }
.cx-message {
  align-content: center; font-family: var(--cx-display, ui-rounded, system-ui, sans-serif);
  font-size: 1.45em; font-weight: 700; letter-spacing: -0.01em; margin: 0 -18px 0.3em;
  min-height: 1.9em; text-align: center; text-wrap: balance;
}
.cx-pending .cx-message { opacity: 0.55; transition: opacity 0.15s 0.15s; }
.cx-narrow .cx-message { font-size: 1.2em; }
.cx-message[data-player]::before {
  background: var(--second); border-radius: 50%; box-shadow: inset 0 0 0 3px rgb(0 0 0 / 0.16); content: "";
  display: inline-block; height: 1em; margin-right: 0.45em; vertical-align: -0.13em; width: 1em;
}
.cx-message[data-player="1"]::before { background: var(--first); }
.cx-hidden {
  clip-path: inset(50%); height: 1px; margin: 0; overflow: hidden; position: absolute;
  white-space: nowrap; width: 1px;
}
.front { fill: var(--frame); }
.back { fill: var(--hole); }
.under { fill: var(--edge); }
.rim { fill: none; stroke: var(--edge); stroke-opacity: 0.75; stroke-width: 4; }
.disc { fill: var(--second); }
.one .disc { fill: var(--first); }
.relief { fill: none; stroke: #000; stroke-opacity: 0.14; stroke-width: 5; }
.mark { fill: none; stroke: var(--ink); stroke-linecap: round; stroke-opacity: 0.55; stroke-width: 8; }
.last { fill: none; stroke: #fff; stroke-width: 6; }
.line { fill: none; stroke: var(--ink); stroke-width: 15; stroke-linecap: round; }
.line.inner { stroke: #fff; stroke-width: 8; }
.won { animation: shine 1.1s ease-in-out 0.35s 3 alternate; }
.line { animation: join 0.5s ease-out both 0.25s; stroke-dasharray: 100; }
@keyframes shine { to { filter: brightness(1.35) drop-shadow(0 0 10px #fff); } }
@keyframes join { from { stroke-dashoffset: 100; } to { stroke-dashoffset: 0; } }
.over .stone:not(.won) { opacity: 0.45; }
.ghost { fill-opacity: 0; stroke: var(--text); stroke-dasharray: 12 9; stroke-opacity: 0.7; stroke-width: 6; }
.light { fill: #fff; fill-opacity: 0; }
.light.on { fill-opacity: 0.14; }
.light[data-kind] { fill-opacity: 0.5; }
.light[data-kind="win"] { fill: #17b26a; }
.light[data-kind="draw"] { fill: #9aa3b8; }
.light[data-kind="loss"] { fill: #0a1740; }
.light[data-best="true"]:not([data-kind="loss"]) { fill-opacity: 0.85; }
.light[data-kind].on { fill-opacity: 1; }
.cx-full { animation: shake 0.3s; }
@keyframes shake { 25% { translate: -5px; } 75% { translate: 5px; } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
@media (forced-colors: active) {
  .cx-value[data-best="true"] { outline: 2px solid Highlight; outline-offset: -2px; }
  .cx-message::before, .cx-bar, .disc, .front, .under, .light { forced-color-adjust: none; }
}
`;
