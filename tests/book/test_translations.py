"""Translations: texts are found, computed parts get into them, and catalogs keep up with pages."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from book._ext.translated import _quoted, mark_english
from book.pages import ROOT
from book.translation import catalogs, word, words
from book.translation.__main__ import main, prose
from book.translation.catalogs import INTERFACE, LOCALE, path_of, read, said, translated
from book.translation.outputs import Translator
from book.translation.templates import SCRIPT, interface, merged, template
from book.translation.texts import HOLE, bare, cells_of, messages

PAGE = '''# A page

```{code-cell} ipython3
layers, loss = 2, 1234.5
say(f"""It has {layers} layer{'s' * (layers != 1)}
    and a loss of {loss:,.1f}, {share:.0%} {"more" if loss > 1 else "less"}: $x = {x:.2f}$.""")
say("It is done.".replace("done", "over"))
table([["first", 0.5]], header=["name", "loss $L$"], caption=f"Of {layers} runs.")
axes.plot(x, y, label="loss $L$", color="black", linestyle="dashed")
kinds = ["upper left", "float64", "a.py"] or ValueError("It is not shown.")
```
'''
SAID = "It has {#1} layer and a loss of {#2}, {#3} {#4}: $x = {#5}$."
POLISH = f"""msgid ""
msgstr ""
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 "
": 2);\\n"

msgid "{SAID}"
msgid_plural "{SAID.replace("layer", "layers")}"
msgstr[0] "Ma {{#1}} warstwę, strata {{#2}}, {{#3}} {{#4}}: $x = {{#5}}$."
msgstr[1] "Ma {{#1}} warstwy, strata {{#2}}, {{#3}} {{#4}}: $x = {{#5}}$."
msgstr[2] "Ma {{#1}} warstw, strata {{#2}}, {{#3}} {{#4}}: $x = {{#5}}$."

msgid "more"
msgstr "więcej"

msgid "loss $L$"
msgstr "strata $L$"

msgid "first"
msgstr "{{#7}}"

#, fuzzy
msgid "It is over."
msgstr "Może."
"""


@pytest.fixture
def polish(tmp_path, monkeypatch):
    """A translator for a page of its own."""
    monkeypatch.setattr(catalogs, "LOCALE", tmp_path)
    catalogs.words_of.cache_clear()
    (tmp_path / "pl" / "LC_MESSAGES").mkdir(parents=True)
    (tmp_path / "pl" / "LC_MESSAGES" / "page.po").write_text(POLISH)
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    yield Translator(page, "pl")
    catalogs.words_of.cache_clear()


def test_texts_of_a_cell_are_found_with_their_computed_parts():
    found = {one.text: one for one in messages(PAGE.partition("python3\n")[2].partition("```")[0])}
    assert found.keys() == {
        *(SAID, "more", "less", "It is over."),
        *("first", "name", "loss $L$", "Of {#1} runs.", "upper left"),
    }
    sentence = found[SAID]
    assert sentence.sentence
    assert sentence.many == SAID.replace("layer", "layers")
    assert sentence.holes[:3] == ("layers", "loss:,.1f", "share:.0%")
    assert [one.text for one in sentence.inner] == ["more", "less"]
    assert [one.text for one in messages('text = "no Python')] == []


@pytest.mark.parametrize(
    ("count", "shown"), [(1, "1 warstwę"), (2, "2 warstwy"), (5, "5 warstw"), (22, "22 warstwy")]
)
def test_a_sentence_has_the_plural_and_the_numbers_of_its_language(polish, count, shown):
    text = f"It has {count} layer{'s' * (count != 1)} and a loss of 1,234.5, 3% more: $x = 0.25$."
    new = polish.markdown(text)
    assert new == f"Ma {shown}, strata 1\N{NO-BREAK SPACE}234,5, 3% więcej: $x = 0{{,}}25$."


def test_what_is_not_translated_stays_english(polish):
    assert polish.markdown("It is over.") == "It is over."  # fuzzy
    assert polish.html("<td>first</td>") == "<td>first</td>"  # a placeholder that it has not
    assert polish.markdown("It is new, with 0.5 in it.") == "It is new, with 0.5 in it."
    half = "It has 2 layers and a loss of 1.5, 3% less: $x = 0.25$."
    assert "1,5, 3% less:" in polish.markdown(half)


def test_figures_and_tables_are_translated_but_no_code(polish):
    polish.own = polish.all
    cell = "<td>{}</td><td><code>0.5</code></td>"
    rest = "<script>let more = 0.5;</script>"
    table = cell.format("0.25") + "<th>loss \\(L\\)</th>" + rest
    assert polish.html(table) == cell.format("0,25") + "<th>strata \\(L\\)</th>" + rest
    assert polish.html("<td><b>0.5</b> &lt; 1</td>") == "<td><b>0,5</b> &lt; 1</td>"
    drawn = '<svg aria-label="more"><path d="M0.5 1.5"/><text><tspan>loss </tspan></text></svg>'
    made = '<svg aria-label="więcej"><path d="M0.5 1.5"/><text><tspan>strata </tspan></text></svg>'
    assert polish.html(drawn) == made


def test_words_of_the_site_follow_the_number(monkeypatch):
    assert words("{count} exercise", "{count} exercises", 2) == "2 exercises"
    monkeypatch.setenv("COURSE_LANGUAGE", "de")
    assert words("{count} exercise", "{count} exercises", 1) == "1 Übung"
    assert words("{count} exercise", "{count} exercises", 2) == "2 Übungen"
    assert word("No such words, {name}", name="x") == "No such words, x"
    assert said("no_such_page", "A hint.") == "A hint."
    assert catalogs._filled("Ein {nam}", "A {name}", {"name": "x"}) == "A x"


def test_words_of_scripts_are_replaced_where_they_are_words(monkeypatch):
    monkeypatch.setenv("COURSE_LANGUAGE", "de")
    script = 'on("DOMContentLoaded", "Home"); x = "Show the result"; // than "Home"'
    assert SCRIPT.sub(_quoted, script) == (
        'on("DOMContentLoaded", "Startseite"); x = "Ergebnis zeigen"; // than "Home"'
    )


def test_pages_without_a_catalog_say_that_they_are_english(monkeypatch):
    monkeypatch.setenv("COURSE_LANGUAGE", "de")
    found = {}
    for page, doctree in (("book/refresher", 1), ("book/no_such_page", 1), ("search", None)):
        found[page] = {"language": "de"}
        mark_english(None, page, "", found[page], doctree)
    assert [context["language"] for context in found.values()] == ["de", "en", "de"]


# The catalogs that there are

CATALOGS = sorted(LOCALE.glob("*/LC_MESSAGES/*.po"))
IDS = [f"{path.parts[-3]}-{path.stem}" for path in CATALOGS]
KEPT = re.compile(r"\{#?\w*\}|\{[\w:]+\}`[^`]*`|\]\([^)]*\)|(?<!`)`[^`]+`(?!`)")


@pytest.mark.parametrize("name", ["refresher", INTERFACE])
def test_german_is_complete(name):
    catalog = read(path_of(name, "de"))
    assert len(catalog) > 40
    assert [one.id for one in translated(catalog)] == [one.id for one in catalog if one.id]


@pytest.mark.parametrize("path", CATALOGS, ids=IDS)
def test_placeholders_roles_links_and_code_agree(path):
    for message in translated(read(path)):
        one, *_ = [message.id] if isinstance(message.id, str) else message.id
        for text in [message.string] if isinstance(message.string, str) else message.string:
            assert sorted(KEPT.findall(text)) == sorted(KEPT.findall(one)), one


def test_extraction_is_up_to_date():
    slugs = sorted({path.stem for path in CATALOGS} - {INTERFACE})
    found = prose(slugs)
    made = {slug: template(slug, found[slug]) for slug in slugs} | {INTERFACE: interface()}
    for path in CATALOGS:
        text = merged(read(path), made[path.stem], path.parts[-3])
        assert text == path.read_text(), "make translation LANGUAGE=" + path.parts[-3]


# A page in German


@pytest.fixture(scope="module")
def german(tmp_path_factory):
    """The refresher alone, built in German, as the text of its page."""
    folder = tmp_path_factory.mktemp("german")
    done = CliRunner().invoke(main, ["configure", "de", str(folder)])
    assert done.exit_code == 0, done.output
    settings = yaml.safe_load((folder / "_config.yml").read_text())
    settings["execute"]["cache"] = str(folder / "cache" / "de")
    (folder / "_config.yml").write_text(yaml.safe_dump(settings))
    (folder / "_toc.yml").write_text("format: jb-book\nroot: book/refresher\n")
    command = [Path(sys.executable).with_name("jupyter-book"), "build", ROOT, "-q"]
    command += ["--path-output", folder, "--toc", folder / "_toc.yml"]
    command += ["--config", folder / "_config.yml"]
    environment = {"COURSE_LANGUAGE": "de", "COURSE_DEVICE": "cpu", "OMP_NUM_THREADS": "1"}
    environment |= {"JUPYTER_PREFER_ENV_PATH": "1", "COURSE_EDITION": "public"}
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "inconsistent" not in done.stderr  # links or roles that a translation has lost
    return (folder / "_build" / "html" / "book" / "refresher.html").read_text()


def test_the_german_page_is_german(german):
    assert re.search(r'<html lang="de"', german)
    text = " ".join(html.unescape(re.sub(r"<[^>]*>", "", german)).split())
    cells = [source for _, source in cells_of(ROOT / "book" / "refresher.md")]
    sentences = [one for source in cells for one in messages(source) if one.sentence]
    assert len(sentences) > 15
    catalog = read(path_of("refresher", "de"))
    marks = re.compile(r"\$[^$]*\$|`[^`]*`|\[[^]]*\]\([^)]*\)|\{eq\}`[^`]*`|[*]|" + HOLE.pattern)
    for one in sentences:  # what stands between its numbers, formulas and links
        for piece in marks.split(catalog[one.text].string):
            assert piece.strip() in text, (one.text, piece)
    assert "um den Faktor 4,03." in text


def test_the_german_page_keeps_anchors_and_predictions(german):
    page = (ROOT / "book" / "refresher.md").read_text()
    for anchor in re.findall(r"^\(([\w-]+)\)=$", page, re.MULTILINE):
        assert f'id="{anchor}"' in german
    assert 'id="summary"' in german  # a heading without a name of its own keeps the English one
    asked = len(re.findall(r"^Before you", page, re.MULTILINE))
    assert german.count('class="course-ask-title"') == asked
    assert german.count("Vor dem Ausführen</p>") == asked - 1


def test_the_german_page_holds_no_english_sentence(german):
    text = re.sub(r"<pre>.*?</pre>|<[^>]*>", "", german, flags=re.DOTALL)  # code stays
    text = " ".join(html.unescape(text).split())
    for message in translated(read(path_of("refresher", "de"))):
        for piece in re.split(r"[$`*\[\]{}]|" + HOLE.pattern, bare(message.id)):
            if len(piece.split()) > 6:
                assert piece.strip() not in text


# Commands


def planned(*arguments, **environment):
    """The commands that make would run."""
    command = ["make", "-n", "--no-print-directory", "book", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_language_is_built_beside_the_english_site():
    english = planned(LANGUAGE="de:fr")  # as desktops set it for their programs
    assert "COURSE_LANGUAGE=en " in english
    assert "--path-output .  -W" in english
    assert "configure" not in english
    german = planned("LANGUAGE=de", "EDITION=student")
    assert "book.translation configure 'de' '_build/de'" in german
    assert "COURSE_LANGUAGE=de " in german
    assert "--path-output _build/de/student --config _build/de/_config.yml" in german


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["update", "xx"], "LANGUAGE is 'xx'"),
        (["update", "en"], "The book is English"),
        (["update", "de", "no_such_page"], "There is no page 'no_such_page'"),
        (["configure", "fr", "there"], "The book has no catalogs for fr"),
    ],
)
def test_what_cannot_be_translated_is_said_in_a_sentence(arguments, said):
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert said in done.output
