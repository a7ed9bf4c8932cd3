"""The book's Sphinx extensions: statements, questions and docstrings."""

from __future__ import annotations

import re

from docutils import nodes

from book._ext import reading, reference, weight

STATEMENT = '''<pre>def top_k(logits: Tensor, k: int) -> Tensor:
    <b>"""Keep the k largest &amp; rule out the others.

    A sentence that is so long that it does not end on the first line of its own paragraph,
    and goes on.

    Args:
        logits: z, (..., V) float, of which every last axis is ranked by itself, one after another.
        k: 1 or more.
    """</b>
</pre>'''


def test_a_sentence_of_a_docstring_stands_in_one_part():
    made = weight._lines(STATEMENT)
    parts = re.findall(
        r'<span class="course-line"[^>]*>(.*?\n)</span>(?=<span class="course-line"|<)', made, re.S
    )
    assert made.count("course-join") == 1
    assert [part for part in parts if "A sentence" in part and "and goes on." in part]
    assert not [part for part in parts if "logits: z" in part and "k: 1" in part]
    assert re.sub(r"</?span[^>]*>", "", made) == STATEMENT  # nothing is lost


def test_a_question_may_begin_at_the_end_of_a_line():
    section, paragraph = nodes.section(), nodes.paragraph()
    paragraph += [
        nodes.Text("Two models. Before"),
        nodes.Text("\n"),
        nodes.Text("you look: who wins?"),
    ]
    output = nodes.container(nb_element="cell_code_output")
    choices = nodes.bullet_list("", nodes.list_item(), nodes.list_item())
    section += [paragraph, choices, nodes.container("", output)]
    document = nodes.document(None, None)
    document += section
    reading.ask_first(None, document)
    (strip,) = (one for one in document.findall(nodes.container) if "course-ask" in one["classes"])
    assert strip.astext().split("\n\n")[:2] == ["Before you look", "Who wins?"]
    assert choices.parent is strip
    assert "course-answer" in output["classes"]
    assert paragraph.astext() == "Two models."


def test_what_is_returned_is_a_sentence_and_no_type():
    lines = ["Keep.", "", "Returns:", "    (..., V): −∞ elsewhere.", "    And so on."]
    reference.keep_sentences(None, "function", "f", None, None, lines)
    assert lines[3:] == ["    : (..., V): −∞ elsewhere.", "    And so on."]


def test_a_name_in_the_list_of_a_page_is_broken_at_its_joints_alone():
    entry = '<a href="#a.b_c"><code class="x"><span class="pre">{}</span></code> of d_k</a>'
    context = {"toc": entry.format("KneserNey.next_token()")}
    reference.break_names(None, "api", "page.html", context, None)
    assert context["toc"] == entry.format("KneserNey.<wbr>next_<wbr>token()")
    context["toc"] = entry.format("_same__")
    reference.break_names(None, "api", "page.html", context, None)
    assert context["toc"] == entry.format("_same__")
    reference.break_names(None, "search", "search.html", empty := {}, None)
    assert empty == {}


def test_what_widgets_share_stands_once_on_a_page():
    parts = [f'<{tag} data-shared="engine">{tag} }}</{tag}>' for tag in ("style", "script")]
    widget = "\n".join([*parts, "<style>own</style><div></div><script>own</script>"])
    body = weight.once(f"<p>{widget}</p><p>{widget}</p>")
    assert [body.count(part) for part in parts] == [1, 1]
    assert body.count("<style>own</style><div></div><script>own</script>") == 2
    assert body.index(parts[1]) < body.index("<script>own")
