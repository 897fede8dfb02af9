/** The sound of a landing stone, if it is switched on. */

import { byId } from "./dom.js";

let context = null;

/** Play the sound, if it is switched on. */
export function clack() {
  if (!byId("sound-switch").checked) return;
  context ??= new AudioContext();
  const now = context.currentTime + 0.25; // about as long as a stone falls
  const [tone, loudness] = [context.createOscillator(), context.createGain()];
  tone.type = "triangle";
  tone.frequency.setValueAtTime(420, now);
  tone.frequency.exponentialRampToValueAtTime(140, now + 0.07);
  loudness.gain.setValueAtTime(0.25, now);
  loudness.gain.exponentialRampToValueAtTime(0.001, now + 0.12);
  tone.connect(loudness).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.13);
}
