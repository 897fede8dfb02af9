/**
 * Questions to the server: JSON by POST, and streams of server-sent events.
 *
 * A lost connection is no error for the caller: the question waits, and is sent again when the server
 * answers. A restarted server answers once its address has been opened in this browser; then the page
 * reloads and continues where it was. Browsers allow six connections to a host, for all windows
 * together; so streams are closed while the page is hidden and, if it is not the only one, for a moment
 * every few seconds.
 */

import { keep, kept } from "./address.js";
import { isAbort } from "./dom.js";

const RETRY = 1000; // milliseconds between two tries of a lost connection
const BLINK = 200; // milliseconds that users do not notice
const WINDOWS = "connectx windows"; // the name of a lock that all windows share
const TURN = 1500; // milliseconds, on average, after which a stream gives up its connection; its search goes on
const BREAK = 400; // milliseconds for which others have it: a browser prefers streams to the scripts of a new window

const STORED = kept("sessionStorage", "page"); // perhaps from another server that had this port

/**
 * The id of this page, by which the server ends its earlier searches. A reload keeps it, but a duplicate
 * of the tab must not; so it is stored only while the page is hidden.
 */
const PAGE = /^[a-z0-9]{12}$/.test(STORED) ? STORED : Array.from(crypto.getRandomValues(new Uint8Array(12)), byte =>
  (byte % 36).toString(36)).join("");
addEventListener("pageshow", () => keep("sessionStorage", "page", null));
addEventListener("pagehide", () => keep("sessionStorage", "page", PAGE));

const LOST = "The connection to the server is lost. Trying again…";
const LOCKED = "The server was started anew. Open the address that it has printed in this browser: then this page goes on.";

let tell = () => {};
let trouble = "";
const awaited = new Set(); // answers that the page shows as being on their way

/** Set the listener, which gets a sentence when the connection is lost, and "" when it is back. */
export function onConnection(listener) {
  tell = listener;
}

function setTrouble(now) {
  if (now === trouble) return;
  if (trouble === LOCKED && !now) location.reload(); // the address says where the page was
  const isNew = !trouble;
  trouble = now;
  tell(trouble);
  if (isNew) getSetup().catch(() => {}); // keeps trying, even if the lost question is withdrawn
}

/** Note the status of an answer. @returns {boolean} whether the server admits this browser */
function isLetIn({ status }) {
  setTrouble(status === 403 ? LOCKED : "");
  return status !== 403;
}

/** Ask for the data that the page needs to start. @returns {Promise<object>} */
export function getSetup() {
  return ask("api/setup", {});
}

/** @returns {Promise<string>} the page to save games in, as HTML without its games */
export function getSavedFrame() {
  return askForText("saved.html", {});
}

/** Send a question to the server as JSON, until a signal aborts it; rejected with the sentence of a refusal. */
export function post(path, question, signal) {
  return ask(`api/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
    signal,
  });
}

/** As `post`, with the id of the page, by which the server keeps or ends its work. */
export function postAsPage(path, question, signal) {
  return post(path, { page: PAGE, ...question }, signal);
}

async function ask(path, options) {
  const text = askForText(path, options);
  const answer = parsed(await (path === "api/move" ? text : shownAsAwaited(text))); // its seat shows who is thinking
  if (!answer) throw new Error("The server's answer cannot be read.");
  return answer;
}

/** Show on the page that an answer is awaited, if that takes longer than `BLINK`. */
async function shownAsAwaited(answer) {
  const show = () => document.documentElement.toggleAttribute("data-awaiting", awaited.size > 0);
  const timer = setTimeout(() => {
    awaited.add(answer);
    show();
  }, BLINK);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    awaited.delete(answer);
    show();
  }
}

async function askForText(path, options) {
  for (;;) {
    let response, text = null;
    try {
      response = await fetch(path, options);
      text = await response.text();
    } catch (error) {
      if (isAbort(error)) throw error;
      setTrouble(LOST);
    }
    if (text !== null && isLetIn(response)) {
      if (!response.ok) throw new Error(refusalOf(response, text));
      return text;
    }
    await new Promise(resolve => setTimeout(resolve, RETRY));
    options.signal?.throwIfAborted();
  }
}

/** The sentence of a refusal; one by a proxy, instead of the server, has none. */
function refusalOf({ status }, text) {
  return parsed(text)?.error ?? `The server answered ${status}.`;
}

/** The object in a text; null if it is not JSON. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Follow a stream of snapshots, until the last or until `close` is called. The server keeps one stream for each path,
 * and another one for each `name`.
 */
export function stream(path, question, onSnapshot, onError, name = "") {
  const address = `api/${path}?${new URLSearchParams({ page: PAGE + name, ...question })}`;
  let source = null, timer = 0, ended = false;

  const pause = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const close = () => {
    ended = true;
    pause();
    document.removeEventListener("visibilitychange", follow);
  };
  const fail = sentence => {
    close();
    onError(sentence);
  };
  const open = () => {
    source = new EventSource(address);
    source.onopen = () => {
      setTrouble("");
      timer = setTimeout(giveWay, TURN * (0.5 + Math.random())); // random, so that windows take turns
    };
    source.onmessage = event => {
      const snapshot = JSON.parse(event.data);
      if (snapshot.done) close();
      onSnapshot(snapshot);
    };
    source.addEventListener("error-message", event => fail(JSON.parse(event.data).error));
    source.onerror = async () => {
      pause();
      const refusal = await refused(address);
      if (ended) return;
      if (refusal) fail(refusal);
      else timer = setTimeout(follow, RETRY);
    };
  };
  const follow = () => {
    if (document.hidden) pause();
    else if (!source && !ended) open();
  };
  const giveWay = async () => {
    const isShared = await hasOthers();
    if (!source) return;
    if (isShared) pause();
    timer = isShared ? setTimeout(follow, BREAK) : setTimeout(giveWay, TURN);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
  return { close };
}

navigator.locks?.request(WINDOWS, { mode: "shared" }, () => new Promise(() => {})); // held until the window closes

/** Whether the page is open in other windows, too. @returns {Promise<boolean>} */
async function hasOthers() {
  const { held = [] } = await navigator.locks?.query() ?? {};
  return held.filter(({ name }) => name === WINDOWS).length > 1;
}

/** The sentence with which the server refuses a stream, which an EventSource does not expose. */
async function refused(address) {
  const end = new AbortController();
  try {
    const response = await fetch(address, { signal: end.signal });
    if (!isLetIn(response) || response.ok || response.status === 503) return "";
    return refusalOf(response, await response.text());
  } catch {
    setTrouble(LOST);
    return "";
  } finally {
    end.abort();
  }
}
