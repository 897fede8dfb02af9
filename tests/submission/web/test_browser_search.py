"""The search as a stage in the browser: its tree, walked through by mouse, touch and keyboard."""

import re
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import pytest

from tests.helpers.browser import LATE, Site, expect, go_to, places

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

MIDDLE = "44444326556"
SEARCH = f"#game=connectx-6x7x4&moves={MIDDLE}&view=search"
PROJECTOR = {"width": 1280, "height": 720}
PHONE = {"width": 360, "height": 640}
LEAST_LABEL = 11
"""Pixels of the smallest text of a tree."""
NODES = "#tree .item.node"
KEYS = "all => all.map(one => one.dataset.key)"


def begin(page: "Page", agent: str = "alphabeta", **options: str) -> None:
    """Begin to search with an agent's options by their labels."""
    form = page.locator("#search-form")
    form.get_by_label("agent", exact=True).select_option(agent)
    for name, value in options.items():
        form.get_by_label(name).fill(value)
    form.get_by_role("button", name="Start", exact=True).click()


def start(page: "Page", agent: str = "alphabeta", **options: str) -> None:
    """Search to the end."""
    begin(page, agent, **options)
    page.locator("#search-state", has_text="It chooses").wait_for()


HOLD_BACK = """steps => {
    const waiting = [];
    let most = steps, shown = 0;
    const show = () => {
        while (waiting.length && shown <= most && (most === Infinity || !waiting[0].done)) {
            const { steps, hear } = waiting.shift();
            shown = steps;
            hear();
        }
    };
    window.showMore = steps => { most = steps; show(); };
    window.EventSource = class extends EventSource {
        set onmessage(hear) {
            super.onmessage = event => {
                const { steps, done } = JSON.parse(event.data);
                if (done) this.close(); // or else it would ask again
                waiting.push({ steps, done, hear: () => hear(event) });
                show();
            };
        }
    };
}"""
"""Holds back what a search shows after more than some steps, and its end, until `showMore`."""


def begin_held(page: "Page", simulations: int, rollouts: int, steps: int) -> None:
    """Begin a Monte Carlo search that seems to stand still after more than some steps."""
    page.evaluate(HOLD_BACK, steps)
    page.get_by_label("agent", exact=True).select_option("mcts")
    page.get_by_label("simulations").fill(str(simulations))
    page.get_by_text("More options").click()
    page.get_by_label("time limit").fill("")
    page.get_by_label("rollouts per leaf").fill(str(rollouts))
    page.get_by_role("button", name="Start", exact=True).click()


def boxes(page: "Page", locator: str) -> list[dict[str, float]]:
    """Where elements stand, in pixels of the page."""
    found: list[dict[str, float]] = page.locator(locator).evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().toJSON())"
    )
    return found


def assert_within(inner: dict[str, float], outer: dict[str, float], *sides: str) -> None:
    """Find an element within another one, as far as these sides tell."""
    for side in sides:
        sign = 1 if side in ("left", "top") else -1
        assert sign * outer[side] <= sign * inner[side], side


def label_sizes(page: "Page") -> list[float]:
    """The sizes of the texts that are seen in the tree."""
    found: list[float] = page.locator("#tree text").evaluate_all(
        "all => all.filter(one => one.getClientRects().length)"
        ".map(one => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a)"
    )
    return found


@pytest.fixture
def tree(site: Site) -> "Iterator[Page]":
    """A page on which alpha-beta has searched, with the whole tree."""
    with site.visit(SEARCH) as page:
        start(page)
        yield page


@pytest.mark.parametrize("agent", ["alphabeta", "mcts", "expectimax"])
def test_the_tree_grows_and_is_stepped_through(site: Site, agent: str) -> None:
    with site.visit(SEARCH) as page:
        start(page, agent)
        state = page.locator("#search-state")
        expect(state).to_have_text(re.compile(r"Step (\d+) of \1\. It chooses column \d\."))
        nodes = page.locator(NODES)
        assert nodes.count() > 7
        page.get_by_role("button", name="First step").click()
        expect(state).to_contain_text("Step 1 of")
        assert nodes.count() <= 2
        page.keyboard.press(".")
        expect(state).to_contain_text("Step 2 of")
        page.get_by_role("slider", name="Step").focus()
        page.keyboard.press("End")
        expect(state).to_have_text(re.compile(r"Step (\d+) of \1\."))
        assert page.locator("#search-words li").count() > 1


PLACES = """all => Object.fromEntries(all.map(one => {
  const { left, right, top, height } = one.querySelector(".frame").getBoundingClientRect();
  const isRow = height < 26;
  return [one.dataset.key, [isRow ? left : (left + right) / 2, top]];
}))"""
ROW = 22
"""Pixels of a row, by which those below it make way for a new one."""


def places_of_nodes(page: "Page", step: int) -> dict[str, tuple[float, float]]:
    """Where nodes stand after a step, by path: the middle, or a row's left end, and the top."""
    page.locator("#search-step").fill(str(step))
    page.wait_for_function(
        "text => document.querySelector('#search-state').textContent.startsWith(text)",
        arg=f"Step {step} of",
    )
    found: dict[str, tuple[float, float]] = page.locator(NODES).evaluate_all(PLACES)
    return found


@pytest.mark.parametrize(("agent", "first", "last"), [("alphabeta", 60, 84), ("mcts", 1, 30)])
def test_a_lesson_needs_no_scrolling_on_a_projector_and_nodes_stay_in_their_places(
    site: Site, agent: str, first: int, last: int
) -> None:
    with site.page(SEARCH, viewport=PROJECTOR) as page:
        start(page, agent)
        height, width = page.evaluate(
            "[document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
        )
        assert (width, height) == (PROJECTOR["width"], PROJECTOR["height"])
        (stage,) = boxes(page, "#tree")
        assert stage["width"] * stage["height"] > 0.45 * PROJECTOR["width"] * PROJECTOR["height"]
        for node in boxes(page, NODES):
            assert_within(node, stage, "left", "top", "right", "bottom")
        for button in boxes(page, ".steps button:not([hidden])"):
            assert button["bottom"] <= PROJECTOR["height"]

        before = places_of_nodes(page, first)
        for step in range(first + 1, last + 1):
            after = places_of_nodes(page, step)
            kept = before.keys() & after.keys()
            assert "" in kept
            for path in kept:
                (x, y), (was_x, was_y) = after[path], before[path]
                assert x == pytest.approx(was_x, abs=4), (step, path)
                assert abs(y - was_y) <= ROW, (step, path)
                for other in kept:
                    if path.rpartition(",")[0] == other.rpartition(",")[0] and path and other:
                        assert (before[path] < before[other]) == (after[path] < after[other])
            before = after


def test_an_old_projector_shows_all_of_a_small_tree_and_the_steps_in_one_line(site: Site) -> None:
    link = "#game=connectx-6x7x4&moves=4453&view=search"
    with site.page(link, viewport={"width": 1024, "height": 768}) as page:
        start(page)
        (stage,) = boxes(page, "#tree")
        for node in boxes(page, NODES):
            assert_within(node, stage, "left", "right")
        (sign,), (value,) = (
            boxes(page, f"{NODES}[data-key=''] {part}") for part in (".sign", ".value")
        )
        assert sign["right"] < value["left"]
        assert len({button["top"] for button in boxes(page, ".steps button:not([hidden])")}) == 1


@pytest.mark.parametrize(("viewport", "count"), [(PROJECTOR, "300"), (PHONE, "0")])
def test_labels_of_a_large_tree_stay_readable_and_nodes_do_not_overlap(
    site: Site, viewport: dict[str, int], count: str
) -> None:
    with site.page(SEARCH, viewport=viewport) as page:
        start(page, "mcts", simulations="600")
        for fewer in ("0", "120"):
            page.locator("#search-nodes").select_option(fewer)
            for one, other in combinations(boxes(page, "#tree .sign, #tree .pill"), 2):
                across = min(one["right"], other["right"]) - max(one["left"], other["left"])
                down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
                assert across <= 0 or down <= 2
        page.locator("#search-nodes").select_option(count)
        page.locator("#tree-boards").check()
        shown = page.locator(NODES).count()
        assert shown == 300 if count == "300" else shown >= 10
        for _ in range(3):
            assert min(label_sizes(page)) >= LEAST_LABEL
            page.get_by_role("button", name="Zoom in").click()
        for _ in range(12):
            page.get_by_role("button", name="Zoom out").click()
            assert min(label_sizes(page), default=LEAST_LABEL) >= LEAST_LABEL


def test_a_node_shows_its_position_and_its_line(tree: "Page") -> None:
    paths = tree.locator(NODES).evaluate_all(KEYS)
    deepest = max(paths, key=len)
    tree.locator(f'{NODES}[data-key="{deepest}"]').click()
    moves = [int(move) + 1 for move in deepest.split(",")]
    expect(tree.locator("#tree-line li")).to_have_text([str(move) for move in moves])
    played = MIDDLE + "".join(map(str, moves))
    expect(tree.locator("#tree-board .stone")).to_have_count(len(played))
    told = tree.locator("#tree-board .cx-hidden").first.text_content() or ""
    for column in range(1, 8):
        stones = ["XO"[ply % 2] for ply, move in enumerate(played) if move == str(column)]
        assert f"Column {column}: {', '.join(stones) or 'empty'}." in told


def test_a_cutoff_says_why(tree: "Page") -> None:
    tree.locator("#search-nodes").select_option("300")
    cut = tree.locator(NODES + '[aria-label*="cut off"]')
    assert cut.count() > 3
    for index in range(3):
        cut.nth(index).focus()
        tree.keyboard.press("Enter")
        words = tree.locator("#tree-facts").inner_text().replace("\N{MINUS SIGN}", "-")
        found = re.search(
            r"(?:X gets at least|O holds X to) (\S+) here, and [XO] has (\S+) else", words
        )
        assert found, words
        here, elsewhere = float(found[1]), float(found[2])
        assert here >= elsewhere if "X gets" in words else here <= elsewhere
        assert "cannot change that" in words
    tree.locator("#search-nodes").select_option("0")


def test_a_cutoff_at_a_won_node_names_the_winner(site: Site) -> None:
    # X, who has 4 and 5, takes 6: a line open at both ends. O, who has 4 to 6, completes it.
    for moves, node, winner in (("4455", "", "X"), ("141526", "0", "O")):
        with site.visit(f"#game=connectx-6x7x4&moves={moves}&view=search") as page:
            start(page)
            page.locator(f'{NODES}[data-key="{node}"]').click()
            expect(page.locator("#tree-facts")).to_contain_text(
                f"Cut off. {winner} wins here, and nothing is better. Columns"
            )


def test_the_current_node_and_its_path_stand_out(tree: "Page") -> None:
    for step in (150, 151, 152, 200):
        tree.locator("#search-step").fill(str(step))
        expect(tree.locator("#search-state")).to_contain_text(f"Step {step} of")
        now = tree.locator("#tree .item.now")
        assert now.count() == 1
        moves = (now.get_attribute("data-key") or "").split(",")
        way = tree.locator("#tree .item.way").evaluate_all(KEYS)
        assert {*way} == {",".join(moves[:length]) for length in range(len(moves) + 1)}
        (stage,), (box,) = boxes(tree, "#tree"), boxes(tree, "#tree .item.now")
        assert_within(box, stage, "left", "right")
        expect(tree.locator("#tree-line li")).to_have_text([str(int(move) + 1) for move in moves])


NOTE_STEPS = """state => {
  window.seen = [state.textContent];
  const note = () => state.textContent === seen.at(-1) || seen.push(state.textContent);
  new MutationObserver(note).observe(state, { childList: true });
}"""
"""Notes each new text of an element, for a look now and then misses some on a busy machine."""


def test_steps_are_played_at_a_speed(site: Site) -> None:
    with site.visit("#game=tictactoe&moves=152&view=search") as page:
        start(page)
        page.locator("#search-speed").select_option("350")
        state = page.locator("#search-state")
        state.evaluate(NOTE_STEPS)
        page.keyboard.press("p")
        page.wait_for_function("() => seen.length > 3")
        expect(page.locator("#search-play")).to_have_text("Pause")
        for step, text in enumerate(page.evaluate("seen")[1:4], 1):
            assert text.startswith(f"Step {step} of")
        page.keyboard.press("p")
        expect(page.locator("#search-play")).to_have_text("Play")
        held = state.inner_text()
        page.wait_for_timeout(800)
        assert state.inner_text() == held
        slider = page.get_by_role("slider", name="Step")
        near_the_end = int(slider.get_attribute("max") or 0) - 5
        slider.fill(str(near_the_end))
        expect(state).to_contain_text(f"Step {near_the_end} of")
        page.locator("#search-speed").select_option("0")
        page.get_by_role("button", name="Play", exact=True).click()
        expect(state).to_contain_text("It chooses")
        expect(page.locator("#search-play")).to_have_text("Play")
        page.locator("#search-speed").select_option("1000")


def test_a_search_that_has_not_begun_says_so(site: Site) -> None:
    with site.visit(SEARCH) as page:
        page.route("**/api/search?*", lambda route: None)
        begin(page)
        expect(page.get_by_role("button", name="Starting…")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()


def test_a_play_goes_on_though_the_one_before_was_paused_before_its_first_step(
    tree: "Page",
) -> None:
    tree.evaluate("void (window.undelayed = fetch)")
    tree.evaluate(LATE, ["api/search/picture", '"step":1,', 3000])
    for words in ("Pause", "Play", "Pause"):
        tree.keyboard.press("p")
        assert tree.locator("#search-play").inner_text() == words
    expect(tree.locator("#search-state")).to_contain_text(re.compile("Step [2-9] of"))
    tree.get_by_role("button", name="Last step").click()
    expect(tree.locator("#search-state")).to_contain_text("It chooses")
    tree.evaluate("void (window.fetch = undelayed)")


def test_the_tree_is_zoomed_and_dragged(tree: "Page") -> None:
    before = boxes(tree, NODES)[0]
    x, y = before["left"] + 5, before["top"] + 5
    tree.mouse.move(x, y)
    tree.mouse.wheel(0, -400)
    near = boxes(tree, NODES)[0]
    assert near["width"] > 1.5 * before["width"]
    assert near["left"] < x < near["right"]
    tree.mouse.down()
    tree.mouse.move(x + 60, y + 40, steps=4)
    tree.mouse.up()
    dragged = boxes(tree, NODES)[0]
    assert dragged["left"] - near["left"] == pytest.approx(60, abs=8)
    assert dragged["top"] - near["top"] == pytest.approx(40, abs=8)
    tree.locator("#tree [tabindex='0']").focus()
    tree.keyboard.press("0")
    assert boxes(tree, NODES)[0]["width"] == pytest.approx(before["width"], abs=1)
    left, middle = boxes(tree, "#tree")[0]["left"], y + 100
    tree.mouse.move(left + 2, middle)
    tree.mouse.down()
    tree.mouse.move(left - 3, middle)  # and lifted outside
    tree.mouse.up()
    still = boxes(tree, NODES)[0]
    tree.mouse.move(left + 200, middle, steps=4)
    assert boxes(tree, NODES)[0] == still


def test_keys_go_from_node_to_node(tree: "Page") -> None:
    focused = "document.activeElement.dataset.key"
    tree.locator(NODES).first.focus()
    assert tree.evaluate(focused) == ""
    ways = [tree.evaluate(focused)]
    for _ in range(3):
        tree.keyboard.press("ArrowDown")
        ways.append(tree.evaluate(focused))
    assert all(after != before for before, after in pairwise(ways))
    tree.keyboard.press("ArrowUp")
    assert tree.evaluate(focused) in ways
    expect(tree.locator("#tree-line li").first).to_be_visible()
    tree.keyboard.press("4")  # no move is made on a board that is not seen
    tree.keyboard.press("u")
    assert f"moves={MIDDLE}&" in tree.url


def test_a_folded_part_opens_and_the_way_leads_back(tree: "Page") -> None:
    way = tree.locator("#tree-way button")
    expect(way.first).to_be_hidden()
    folded = tree.locator("#tree .item.folded").last
    path = (folded.get_attribute("data-key") or "").removesuffix("+")
    folded.focus()
    tree.keyboard.press("Enter")
    expect(way).to_have_count(1 + len(path.split(",")))
    assert tree.locator(NODES).first.get_attribute("data-key") == path
    way.first.click()
    expect(tree.locator(NODES).first).to_have_attribute("data-key", "")


def test_an_option_that_is_out_of_range_is_shown_though_its_group_is_folded(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=&view=search") as page:
        form = page.locator("#search-form")
        form.get_by_label("agent", exact=True).select_option("alphabeta")
        more, limit = form.get_by_text("More options"), form.get_by_label("time limit")
        more.click()
        limit.fill("999")
        more.click()
        expect(limit).to_be_hidden()
        page.get_by_role("button", name="Start", exact=True).click()
        expect(limit).to_be_focused()


def test_a_step_before_the_node_at_the_top_is_refused_and_play_begins_with_the_whole_tree(
    site: Site, tree: "Page"
) -> None:
    tree.locator("#tree .item.folded").last.focus()
    tree.keyboard.press("Enter")
    way, state = tree.locator("#tree-way"), tree.locator("#search-state")
    expect(way).to_be_visible()
    last = state.inner_text().partition(".")[0].removeprefix("Step ").split(" of ")[0]
    tree.get_by_role("button", name="Step back").click()
    before = f"Step {int(last) - 1} of {last}."
    expect(state).to_contain_text(before)
    tree.get_by_role("button", name="First step").click()
    expect(tree.locator("#tree-error")).to_contain_text("has no node at")
    expect(tree.get_by_role("slider", name="Step")).to_have_value(str(int(last) - 1))
    tree.get_by_role("button", name="Step on").click()
    expect(state).to_contain_text(f"Step {last} of {last}.")
    expect(tree.locator("#tree-error")).to_be_hidden()
    tree.get_by_role("button", name="Play", exact=True).click()
    expect(state).to_contain_text("Step 2 of")
    expect(way).to_be_hidden()
    tree.get_by_role("button", name="Pause").click()
    assert "422" in site.complaints.pop()


def add_limit(route: "Route") -> None:
    """A search that has ended, as one that its limit ends before it chooses."""
    answer = route.fetch()
    told = re.sub(r'"chosen":\d+', '"chosen":null', answer.text())
    route.fulfill(
        response=answer, body=told.replace('"limit":null', '"limit":"Its limit ends it."')
    )


def test_a_limit_is_told_where_it_ends_the_search(site: Site) -> None:
    with site.visit("#game=tictactoe&moves=152&view=search") as page:
        page.route("**/api/search?*", add_limit)
        begin(page)
        state = page.locator("#search-state")
        expect(state).to_have_text(re.compile(r"^Step (\d+) of \1\. Its limit ends it\.$"))
        page.get_by_role("button", name="Step back").click()
        expect(state).to_have_text(re.compile(r"^Step (\d+) of \d+\.$"))


def test_a_growing_tree_is_paused_followed_again_and_stopped(site: Site) -> None:
    with site.page("#game=connectx-20x20x5&moves=&view=search") as page:
        begin_held(page, 20_000, 1, steps=0)
        state, play = page.locator("#search-state"), page.locator("#search-play")
        expect(state).to_contain_text("Thinking")
        expect(play).to_have_text("Pause")
        page.get_by_role("button", name="First step").click()
        expect(state).to_have_text("Paused at step 1, while the search goes on.")
        slider = page.get_by_role("slider", name="Step")
        most = int(slider.get_attribute("max") or 0)
        page.evaluate("most => showMore(most)", most)
        page.wait_for_function(
            "most => document.querySelector('#search-step').max > most", arg=most
        )
        expect(slider).to_have_value("1")
        play.click()
        expect(state).to_contain_text("Thinking")
        page.keyboard.press("p")
        expect(state).to_contain_text("Paused at step")
        page.get_by_role("button", name="Stop").click()
        expect(state).to_contain_text("Step")
        expect(play).to_have_text("Play")
        page.get_by_role("button", name="Step back").click()
        expect(page.locator("#tree-error")).to_be_hidden()


def test_steps_below_a_node_keep_its_places_though_it_was_chosen_while_the_tree_grew(
    site: Site,
) -> None:
    with site.page("#game=connectx-9x9x5&moves=&view=search") as page:
        begin_held(page, 1000, 5, steps=50)
        state, way = page.locator("#search-state"), page.locator("#tree-way")
        page.wait_for_function("() => document.querySelector('#search-step').max > 50")
        page.keyboard.press("p")
        expect(state).to_contain_text("Paused at step")

        def open_middle() -> None:
            page.locator("#tree-whole").click()
            page.locator(NODES).and_(page.locator("[data-key='4']")).click()
            page.get_by_role("button", name="Tree from here").click()
            expect(way).to_be_visible()

        open_middle()
        page.evaluate("showMore(Infinity)")
        expect(state).to_contain_text("of 1000.")
        page.get_by_role("button", name="Last step").click()
        expect(state).to_contain_text("Step 1000 of")
        page.get_by_role("button", name="Step back").click()
        expect(state).to_contain_text("Step 999 of")
        stepped = page.locator(NODES).evaluate_all(PLACES)
        way.get_by_role("button").first.click()
        expect(way).to_be_hidden()
        open_middle()
        assert page.locator(NODES).evaluate_all(PLACES) == stepped


def at_rest(page: "Page", locator: str) -> dict[str, float]:
    """Where an element stands once it no longer moves."""
    before, now = None, boxes(page, locator)
    while now != before:
        page.wait_for_timeout(100)
        before, now = now, boxes(page, locator)
    return now[0]


def bring_into_view(page: "Page", item: str) -> None:
    """Drag the tree by an item, or by the edge beyond which it lies, to the middle of the stage."""
    (stage,), (place,) = boxes(page, "#tree"), boxes(page, item)
    start, end = {}, {}
    for side, size in (("x", "width"), ("y", "height")):
        nearest, furthest = stage[side] + 5, stage[side] + stage[size] - 5
        start[side] = min(max(nearest, place[side] + place[size] / 2), furthest)
        end[side] = (nearest + furthest) / 2
    page.mouse.move(**start)
    page.mouse.down()
    page.mouse.move(**end, steps=4)
    page.mouse.up()


def test_a_press_on_a_node_counts_though_the_growing_tree_moves_it(site: Site) -> None:
    with site.page("#game=connectx-9x9x5&moves=&view=search") as page:
        begin_held(page, 20_000, 50, steps=10)
        page.wait_for_function("() => document.querySelector('#search-step').max > 10")
        root, line = "#tree .item[data-key='']", page.locator("#tree-line")
        expect(line).not_to_have_text("The position on the board")
        at_rest(page, root)
        bring_into_view(page, root)  # the tree shows its latest node
        place = at_rest(page, root)
        page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        page.mouse.down()
        page.evaluate("showMore(19_000)")
        page.wait_for_function(
            "([root, x]) => document.querySelector(root).getBoundingClientRect().x !== x",
            arg=[root, place["x"]],
        )
        page.mouse.up()
        expect(line).to_have_text("The position on the board")
        expect(page.locator(root)).to_have_attribute("aria-selected", "true")
        expect(page.locator("#search-state")).to_contain_text("Thinking")


def test_a_view_that_is_left_finds_its_tree_again(site: Site) -> None:
    with site.visit(SEARCH) as page:
        start(page)
        page.get_by_role("button", name="First step").click()
        page.keyboard.press(".")
        expect(page.locator("#search-state")).to_contain_text("Step 2 of")
        page.get_by_role("link", name="Play", exact=True).click()
        expect(page.locator("#tree")).to_be_hidden()
        expect(places(page).first).to_be_visible()
        page.get_by_role("link", name="Search").click()
        expect(page.locator("#search-state")).to_contain_text("Step 2 of")
        expect(page.locator(NODES).first).to_be_visible()
        page.get_by_role("button", name="Back to the board").click()
        expect(places(page).first).to_be_visible()
        page.get_by_role("button", name="Back to the tree").click()
        expect(page.locator(NODES).first).to_be_visible()
        go_to(page, SEARCH.replace(MIDDLE, "44"))
        expect(page.locator("#tree")).to_be_hidden()
        expect(page.get_by_role("button", name="Back to the tree")).to_be_hidden()


SLOW_BODIES = """() => {
  const ask = window.fetch;
  window.fetch = async (path, options) => {
    const response = await ask(path, options), text = await response.text();
    const body = new ReadableStream({ start(controller) {
      const timer = setTimeout(() => {
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      }, 500);
      options.signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        controller.error(options.signal.reason);
      });
    } });
    window.answered = (window.answered ?? 0) + 1;
    return new Response(body, { status: response.status });
  };
}"""
"""Answers whose first bytes come half a second before the last."""


def test_a_step_that_is_overtaken_while_its_answer_arrives_leaves_nothing(site: Site) -> None:
    with site.page(SEARCH) as page:
        start(page)
        page.evaluate(SLOW_BODIES)
        page.get_by_role("button", name="First step").click()
        page.wait_for_function("() => window.answered > 0")
        page.evaluate(
            """() => {
              window.said = [];
              const place = document.querySelector("#tree-error");
              new MutationObserver(() => window.said.push(place.textContent))
                .observe(place, { childList: true, characterData: true, subtree: true });
            }"""
        )
        page.keyboard.press(".")
        expect(page.locator("#search-state")).to_contain_text("Step 2 of")
        assert not any(page.evaluate("window.said"))


def test_on_a_phone_the_tree_is_the_first_thing_seen_and_two_fingers_zoom(site: Site) -> None:
    with site.page(SEARCH, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        start(page)
        stage, before = boxes(page, "#tree")[0], boxes(page, NODES)[0]
        assert stage["top"] < 200
        for node in boxes(page, f"{NODES}.principal .sign"):  # the expected line
            assert_within(node, stage, "left", "right")
        assert boxes(page, "#tree-board .cx-message")[0]["top"] >= stage["bottom"]
        assert stage["bottom"] < PHONE["height"]
        assert boxes(page, "#search-play")[0]["bottom"] <= PHONE["height"]
        x, y = stage["left"] + stage["width"] / 2, stage["top"] + 60
        touch = page.context.new_cdp_session(page)

        def fingers(kind: str, apart: float | None) -> None:
            points = [] if apart is None else [{"x": x - apart, "y": y}, {"x": x + apart, "y": y}]
            numbered = [{**point, "id": number} for number, point in enumerate(points)]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": numbered})

        fingers("touchStart", 30)
        for apart in (40, 50, 60, 75):
            fingers("touchMove", apart)
        fingers("touchEnd", None)
        assert boxes(page, NODES)[0]["width"] > 1.4 * before["width"]

        page.locator("#tree-whole").click()
        page.locator(NODES).nth(1).click()
        board = boxes(page, "#tree-board")[0]
        assert stage["top"] <= board["top"]
        assert board["bottom"] <= PHONE["height"]
        assert page.locator("#tree-board .stone").count() >= len(MIDDLE)


def test_a_tree_that_is_found_again_at_its_first_step_has_the_size_of_the_whole_one(
    site: Site,
) -> None:
    with site.visit("#game=tictactoe&moves=152&view=search") as page:
        start(page)
        whole = boxes(page, NODES)[0]
        page.get_by_role("button", name="First step").click()
        expect(page.locator("#search-state")).to_contain_text("Step 1 of")
        page.reload()
        expect(page.locator("#search-state")).to_contain_text("Step 1 of")
        page.get_by_role("button", name="Last step").click()
        expect(page.locator("#search-state")).to_contain_text("It chooses")
        assert boxes(page, NODES)[0] == whole


def test_a_page_that_is_loaded_again_finds_its_tree(site: Site) -> None:
    with site.visit(SEARCH) as page:
        start(page, depth="3")
        state = page.locator("#search-state")
        places_of_nodes(page, 20)
        told, drawn = state.inner_text(), page.locator(NODES).evaluate_all(KEYS)
        page.reload()
        expect(state).to_have_text(told)
        assert sorted(page.locator(NODES).evaluate_all(KEYS)) == sorted(drawn)
        page.get_by_role("button", name="Step on").click()
        expect(state).to_contain_text("Step 21 of")

        refusal = {"status": 422, "json": {"error": "this page has no search: start one"}}
        page.route("**/api/search/picture", lambda route: route.fulfill(**refusal))
        page.reload()
        expect(page.locator("#search-error")).to_contain_text("is not kept any more")
        expect(page.locator("#search-form").get_by_label("depth")).to_have_value("3")
        page.unroute("**/api/search/picture")
        page.get_by_role("button", name="Start", exact=True).click()
        expect(state).to_contain_text("It chooses")
        assert len(site.complaints) == 1
        assert "422" in site.complaints.pop()
