"""Refused forms: the page says what is wrong, and what was typed stays."""

from tests.web.admin_pages.teacher_pages import CUP, hall, refusal, submit
from tests.web.support import check_html

REFUSALS = [
    ("/tournaments", CUP | {"name": ""}, 400, "Give the tournament a name"),
    ("/tournaments", CUP | {"settings": "games=0"}, 400, "games must be from 1 to 100"),
    ("/tournaments", CUP | {"settings": "games"}, 400, "KEY=VALUE"),
    ("/tournaments", CUP | {"turn_time_s": "soon"}, 400, "must be a whole number, not"),
    ("/tournaments", CUP | {"entry": "roster", "roster": "ann,best"}, 400, "the rating of ann"),
    ("/tournaments", CUP | {"game": "<b>"}, 409, "there is no game &lt;b&gt;"),
    ("/tournaments/1/start", {}, 409, "at least two players"),
    ("/tournaments/1/drop", {"player": "ann"}, 400, "Give a reason"),
    ("/tournaments/1/void", {"pairing": "", "why": "x"}, 400, "Give the number of the game"),
    ("/tournaments/1/dance", {}, 404, "there is no such act"),
    ("/tournaments/7/start", {}, 409, "there is no tournament 7"),
    ("/kick", {"player": "<zed>", "why": "x"}, 409, "there is no player &#39;&lt;zed&gt;&#39; here"),
    ("/kick", {"player": "ann", "why": " "}, 400, "Give a reason"),
    ("/void", {"match": "99", "why": "x"}, 409, "there is no such match, or it is over"),
    ("/void", {"match": "99999999999999999999", "why": "x"}, 400, "must be a whole number"),
    ("/drain", {"within_s": "999999", "why": "x"}, 400, "within_s"),
    ("/nowhere", {}, 404, "there is no such page"),
]


async def test_refusal_is_shown_on_the_page() -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP | {"entry": "roster"})
        for path, form, status, says in REFUSALS:
            answer = await submit(running, path, form)
            check_html(answer.text)
            assert (path, answer.status, says in refusal(answer)) == (path, status, True), refusal(answer)
        kept = await submit(running, "/tournaments", CUP | {"name": "Spring", "settings": "games=0"})
        assert 'value="Spring"' in kept.text, "what was typed is still there"
        assert ">games=0</textarea>" in kept.text


TYPED = [
    ("/kick", {"player": "zed", "why": "he sleeps"}),
    ("/void", {"match": "99", "why": "he sleeps"}),
    ("/drain", {"within_s": "soon", "why": "he sleeps"}),
    ("/tournaments/1/start", {"why": "he sleeps"}),
    ("/tournaments/1/disqualify", {"player": "zed", "why": "he sleeps"}),
    ("/tournaments/1/correct", {"pairing": "77", "verdict": "draw", "why": "he sleeps"}),
]


async def test_typed_text_stays_in_its_form_beside_the_refusal() -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP | {"entry": "roster"})
        for path, typed in TYPED:
            answer = await submit(running, path, typed)
            forms = [part.partition("</form>")[0] for part in answer.text.split("<form")[1:]]
            (refused,) = [form for form in forms if "Not done:" in form]
            assert f'"{path}"' in refused, "said beside the form that asked"
            for value in typed.values():
                if value not in {"zed", "99"} or path.startswith("/tournaments"):
                    assert f'value="{value}"' in refused
            assert answer.text.count("he sleeps") == 1, "and in no other form"
