from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from fiel.reports.escape import html, markdown_code, plain, stdout, value, workflow_data, workflow_property, xml


def test_a_line_break_becomes_two_visible_characters() -> None:
    assert plain("a\nb\r\tc") == "a\\nb\\r\\tc"


def test_a_terminal_command_is_shown_instead_of_obeyed() -> None:
    assert plain("\x1b[2J\x9b31m") == "\\x1b[2J\\x9b31m"


def test_marks_that_turn_text_round_are_shown() -> None:
    assert plain("abc\u202egnp.exe") == "abc\\u202egnp.exe"


def test_tags_that_no_one_sees_are_shown() -> None:
    assert plain("a\U000e0041b") == "a\\U000e0041b"


def test_emoji_joiners_and_right_to_left_letters_stay() -> None:
    assert plain("👩‍👩‍👧 شريط") == "👩‍👩‍👧 شريط"


def test_marks_piled_on_one_letter_do_not_cover_the_page() -> None:
    assert plain("e" + "\u0301" * 8) == "e" + "\u0301" * 6 + "\\u0301" * 2
    assert plain("กำ้ ẫ שָׁ") == "กำ้ ẫ שָׁ"


def test_a_megabyte_is_cut_and_the_rest_is_counted() -> None:
    assert plain("x" * 1_000_000, 10) == "x" * 10 + "… (+999,990 characters)"


def test_a_text_of_exactly_the_limit_is_whole() -> None:
    assert plain("abc", 3) == "abc"


def test_a_value_nested_too_deeply_is_said_to_be_so() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert value(deep) == "(a value that cannot be shown: it is nested too deeply)"


def test_a_line_that_opens_with_two_colons_is_no_command_when_printed() -> None:
    assert stdout("a::b\n  ::error::x\n::set-output") == "a::b\n  ∶:error::x\n∶:set-output"


def test_the_old_command_form_is_broken_wherever_it_stands() -> None:
    assert stdout("text ##[error]x ##vso[task]") == "text ♯#[error]x ♯#vso[task]"


def test_workflow_properties_escape_what_ends_them() -> None:
    assert workflow_property("a%b:c,d") == "a%25b%3Ac%2Cd"


def test_workflow_data_keeps_colons_and_has_no_line_break() -> None:
    assert workflow_data("100 %\n::error::x") == "100 %25\\n::error::x"


def test_html_does_not_even_look_like_an_address() -> None:
    assert html("https://x JavaScript:y") == "https:&#47;&#47;x JavaScript&#58;y"


def test_code_with_a_pipe_or_backtick_is_an_element_of_entities() -> None:
    assert markdown_code("a|b`c") == "<code>a&#124;b&#96;c</code>"
    assert markdown_code("hd-0005") == "`hd-0005`"


@given(st.text())
def test_nothing_that_is_shown_ends_a_line_or_controls_a_terminal(text: str) -> None:
    shown = plain(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert len(shown.splitlines()) <= 1


@given(st.text())
def test_showing_twice_is_showing_once(text: str) -> None:
    assert plain(plain(text, 10_000), 10_000) == plain(text, 10_000)


@given(st.text())
def test_xml_text_is_made_of_characters_that_xml_allows(text: str) -> None:
    allowed = ((0x20, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
    assert all(any(low <= ord(c) <= high for low, high in allowed) for c in xml(text))


@given(st.text(alphabet=":# \n[vso\u3000a"))
def test_no_printed_line_is_a_command(text: str) -> None:
    for line in stdout(text).split("\n"):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
