/** The view of a picture that may be larger than its frame, moved by dragging, wheel, pinch and keys. */

const FRAME = 16; // pixels around the whole picture
const LARGEST = 5, LARGEST_FIT = 1.6; // zooms
const DRAG = 5; // pixels beyond which a click is a drag
const WHEEL = 0.0016; // exponent of the zoom per pixel of the wheel

/** Zooms and moves the picture in an SVG element. */
export class Camera {
  /** @type {boolean} whether the view is still the fitting one */
  isFit = true;
  /** @type {boolean} whether the pointer that was pressed last has dragged the picture */
  isDragged = false;
  #svg;
  #content;
  #size = { width: 1, height: 1, root: 0 };
  #view = { x: 0, y: 0, k: 1 };
  #pointers = new Map();

  /** @param {SVGSVGElement} svg the frame @param {SVGGElement} content the picture in it */
  constructor(svg, content) {
    this.#svg = svg;
    this.#content = content;
    svg.addEventListener("wheel", event => {
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 33 : 1);
      this.zoom(Math.exp(-pixels * WHEEL * (event.ctrlKey ? 6 : 1)), this.#at(event));
    }, { passive: false });
    svg.addEventListener("pointerdown", event => this.#press(event));
    svg.addEventListener("pointermove", event => this.#drag(event));
    for (const end of ["pointerup", "pointercancel"]) {
      svg.addEventListener(end, event => this.#pointers.delete(event.pointerId));
    }
  }

  /** The size of the frame. @returns {{width: number, height: number}} */
  get frame() {
    return { width: this.#svg.clientWidth, height: this.#svg.clientHeight };
  }

  /** The room that a picture has at a zoom of 1. @returns {{width: number, height: number}} */
  get room() {
    const { width, height } = this.frame;
    return { width: width - 2 * FRAME, height: height - 2 * FRAME };
  }

  /**
   * Show a picture: all of it or, if that would be too small to read, the part around `places`, above all the last.
   * `root` is the root's distance from the left end, `isWhole` whether nothing is folded, `isKept` whether to keep the
   * view.
   */
  show(picture, places, isKept) {
    this.#size = picture;
    this.#content.classList.add("glide");
    if (this.isFit && !isKept) this.#fit(places);
    else this.reveal(places.at(-1));
  }

  /** Show all, enlarged to fit if nothing is folded, with the root in the middle. */
  #fit(places) {
    const { frame, room } = this;
    const { width, height, root, isWhole } = this.#size;
    const fitting = Math.min(room.width / width, room.height / height, LARGEST_FIT);
    const k = isWhole ? Math.max(1, fitting) : 1;
    const right = frame.width - FRAME - width * k;
    const middle = frame.width / 2 - root * k;
    this.#view = { k, x: width * k > room.width ? middle : Math.max(FRAME, Math.min(middle, right)), y: FRAME };
    for (const { x } of places) this.reveal({ x, y: places.at(-1).y });
  }

  /** Zoom by a factor about a place, in pixels of the frame. */
  zoom(factor, at = { x: this.frame.width / 2, y: this.frame.height / 2 }) {
    this.#content.classList.remove("glide");
    const { x, y, k } = this.#view;
    const { room } = this;
    const least = Math.min(1, room.width / this.#size.width, room.height / this.#size.height);
    const wanted = Math.max(least, Math.min(k * factor, LARGEST));
    this.#set({ k: wanted, x: at.x - (at.x - x) * (wanted / k), y: at.y - (at.y - y) * (wanted / k) });
    this.isFit = false;
  }

  /** Move just far enough to show a place of the picture. @param {{x: number, y: number}} place */
  reveal(place) {
    const { x, y, k } = this.#view;
    const { width, height } = this.frame;
    const missing = (at, size) => {
      if (FRAME <= at && at <= size - FRAME) return 0;
      return Math.max(3 * FRAME, Math.min(at, size - 3 * FRAME)) - at;
    };
    this.#set({ k, x: x + missing(x + place.x * k, width), y: y + missing(y + place.y * k, height) });
  }

  #set(view) {
    const { width, height } = this.frame;
    const kept = (at, size, frame) => Math.max(FRAME * 4 - size * view.k, Math.min(at, frame - FRAME * 4));
    this.#view = { k: view.k, x: kept(view.x, this.#size.width, width), y: kept(view.y, this.#size.height, height) };
    const { x, y, k } = this.#view;
    this.#content.style.transform = `translate(${x}px, ${y}px) scale(${k})`;
    this.#svg.classList.toggle("far", k < 1);
  }

  #at({ clientX, clientY }) {
    const { left, top } = this.#svg.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  #press(event) {
    if (!this.#pointers.size) this.isDragged = false;
    if (event.button === 0) this.#pointers.set(event.pointerId, { ...this.#at(event), from: this.#at(event) });
  }

  /** Move with one pointer; with two, zoom by their distance about their middle. */
  #drag(event) {
    const pointer = this.#pointers.get(event.pointerId);
    if (!pointer) return;
    if (!event.buttons) { // the pointer was lifted elsewhere
      this.#pointers.delete(event.pointerId);
      return;
    }
    const now = this.#at(event);
    if (!this.isDragged && Math.hypot(now.x - pointer.from.x, now.y - pointer.from.y) < DRAG) return;
    if (!this.isDragged) for (const id of this.#pointers.keys()) this.#svg.setPointerCapture(id);
    this.isDragged = true;
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const distance = at => Math.hypot(at.x - other.x, at.y - other.y) || 1;
      this.zoom(distance(now) / distance(pointer), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    }
    this.#content.classList.remove("glide");
    const share = other ? 2 : 1;
    const { x, y, k } = this.#view;
    this.#set({ k, x: x + (now.x - pointer.x) / share, y: y + (now.y - pointer.y) / share });
    this.isFit = false;
    Object.assign(pointer, now);
  }
}
