"""No bytes and no label may break decoding."""

from fuzz_settings import fuzz
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.parse.charset import decode
from tiptoe.parse.labels import _CODEC_BY_LABEL

LABELS = st.one_of(st.none(), st.text(max_size=60), st.sampled_from(sorted(_CODEC_BY_LABEL)))


@fuzz
@given(data=st.binary(max_size=2000), label=LABELS, is_html=st.booleans())
def test_any_bytes_under_any_label_give_a_text(data: bytes, label: str | None, is_html: bool) -> None:
    decoded = decode(data, label, is_html=is_html)
    assert "\0" not in decoded.text
    decoded.text.encode()  # no lone surrogates


@fuzz
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")), label=LABELS)
def test_utf8_is_always_read_as_utf8(text: str, label: str | None) -> None:
    """Whatever the labels say; text that carries its own mark or escapes of ISO-2022-JP aside."""
    text = text.lstrip("\ufeff").replace("\x1b", "")
    assert decode(text.encode(), label).text == text


@fuzz
@given(
    text=st.text(
        alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff\x1b"), min_size=1
    ),
    cut=st.integers(min_value=1, max_value=3),
)
def test_a_cut_text_is_a_beginning_of_the_text(text: str, cut: int) -> None:
    data = ("x" * 10 + text).encode()[:-cut]
    decoded = decode(data, None)
    assert ("x" * 10 + text).startswith(decoded.text)


@fuzz
@given(label=st.sampled_from(sorted(_CODEC_BY_LABEL)), data=st.binary(max_size=300))
def test_every_label_of_the_table_can_be_used(label: str, data: bytes) -> None:
    markup = b"<meta charset=" + label.encode() + b">" + data
    text = decode(markup, None).text
    assert text.encode().decode() == text
    assert "\0" not in text
