"""Markup is rendered again for another object, and for no other reason."""

from gameserver.web.ui.rendered_once import RenderedOnce


def test_markup_is_kept_for_an_object_and_not_for_its_equal() -> None:
    rendered: list[str] = []

    def render(text: str) -> str:
        rendered.append(text)
        return text

    kept: RenderedOnce[str] = RenderedOnce(2)
    first, equal = ["row"], ["row"]
    assert [kept.get(1, first, lambda: render("a")) for _ in range(3)] == ["a"] * 3
    assert kept.get(1, equal, lambda: render("b")) == "b"
    assert rendered == ["a", "b"]
    assert [kept.get(number, first, lambda: render("c")) for number in (2, 3)] == ["c", "c"]
    assert kept.get(1, equal, lambda: render("d")) == "d", "the one that was not asked for the longest is forgotten"
