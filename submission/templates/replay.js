for (const replay of document.querySelectorAll(".replay")) {
  const cells = JSON.parse(replay.dataset.cells);
  const stones = [...replay.querySelectorAll("svg circle")];
  const final = stones.map(stone => [stone.getAttribute("fill"), stone.getAttribute("stroke")]);
  const slider = replay.querySelector("input"), ply = replay.querySelector("output");
  const show = () => {
    const plies = slider.valueAsNumber;
    const played = new Set(cells.slice(0, plies));
    stones.forEach((stone, cell) => {
      const [fill, ring] = final[cell];
      stone.setAttribute("fill", played.has(cell) ? fill : replay.dataset.free);
      stone.setAttribute("stroke", plies === cells.length && ring ? ring : "none");
      stone.classList.toggle("last", plies < cells.length && cell === cells[plies - 1]);
    });
    ply.value = `ply ${plies} of ${cells.length}`;
  };
  const go = by => { slider.valueAsNumber += by; show(); };
  const [back, forward] = replay.querySelectorAll("button");
  back.onclick = () => go(-1);
  forward.onclick = () => go(1);
  slider.oninput = show;
}
